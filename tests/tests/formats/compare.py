"""Reads a run's frames with VTK and USD and compares them with its PLY files, number by number.

    compare.py DIR SCENE FRAME [NAME=xmin,ymin,zmin,xmax,ymax,zmax ...]

What follows the frame are bounds of colliders and rigid bodies then. The PLY reader is this file's own; vtk and
usd-core are their makers' readers.
"""

import struct
import sys

import numpy as np
from pxr import Usd, UsdGeom
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader


def read_ply(path):
    data = open(path, "rb").read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    kinds = {"float": "<f4", "uint": "<u4"}
    fields = []
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[0] == "element":
            count = int(words[2])
        if words[0] == "property":
            fields.append((words[2], kinds[words[1]]))
    rows = np.frombuffer(data[end:], dtype=fields)
    assert len(rows) == count, (len(rows), count)
    return rows


SYMMETRIC = ["xx", "yy", "zz", "yz", "xz", "xy"]
TENSOR = ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"]


def columns(ply, name, components):
    return np.stack([ply[f"{name}_{c}"] for c in components], axis=1)


def close(what, found, expected, tolerance=0.0):
    found, expected = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    off = np.abs(found - expected).max(initial=0.0)
    assert off <= tolerance, f"{what} differs by {off}"


def check_vtk(folder, scene, frame, ply):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(f"{folder}/particles/{scene}.{frame:04}.vtp")
    reader.Update()
    data = reader.GetOutput()
    count = len(ply)
    assert data.GetNumberOfPoints() == count and data.GetNumberOfVerts() == count
    positions = vtk_to_numpy(data.GetPoints().GetData())
    assert positions.dtype == np.float64
    close("positions", positions.astype(np.float32), np.stack([ply[c] for c in "xyz"], axis=1))
    array = lambda name: vtk_to_numpy(data.GetPointData().GetArray(name))
    close("velocity", array("velocity"), np.stack([ply[f"v{c}"] for c in "xyz"], axis=1))
    for name in ["id", "material", "body", "J", "pressure", "von_mises"]:
        close(name, array(name), ply[name])
    # VTK names the components of six: xx yy zz xy yz xz.
    close("stress", array("stress"), columns(ply, "stress", ["xx", "yy", "zz", "xy", "yz", "xz"]))
    close("deformation", array("deformation"), columns(ply, "deformation", TENSOR))
    time = data.GetFieldData().GetArray("TimeValue").GetValue(0)
    pvd = open(f"{folder}/particles/{scene}.pvd").read()
    assert f'timestep="{time}"' in pvd or f'timestep="{time:g}"' in pvd, (time, pvd)
    assert f"{scene}.{frame:04}.vtp" in pvd


def check_usd(folder, scene, frame, ply, bounds):
    stage = Usd.Stage.Open(f"{folder}/particles/{scene}.usda")
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert stage.GetEndTimeCode() >= frame and stage.GetTimeCodesPerSecond() > 0
    points = UsdGeom.Points(stage.GetPrimAtPath("/scene/particles"))
    assert points, "no points"
    at = Usd.TimeCode(frame)
    close("positions", points.GetPointsAttr().Get(at), np.stack([ply[c] for c in "xyz"], axis=1))
    close("velocities", points.GetVelocitiesAttr().Get(at), np.stack([ply[f"v{c}"] for c in "xyz"], axis=1))
    close("ids", points.GetIdsAttr().Get(at), ply["id"])
    widths = np.asarray(points.GetWidthsAttr().Get(at))
    assert len(widths) == len(ply) and (widths > 0).all()
    primvar = lambda name: UsdGeom.PrimvarsAPI(points).GetPrimvar(name)
    assert primvar("J").GetInterpolation() == UsdGeom.Tokens.vertex
    for name in ["material", "body", "J", "pressure", "von_mises"]:
        close(name, primvar(name).Get(at), ply[name])
    stress = columns(ply, "stress", SYMMETRIC)[:, [0, 5, 4, 5, 1, 3, 4, 3, 2]].reshape(-1, 3, 3)
    close("stress", primvar("stress").Get(at), stress)
    close("deformation", primvar("deformation").Get(at), columns(ply, "deformation", TENSOR).reshape(-1, 3, 3))
    prims = [prim for prim in stage.Traverse() if prim.GetName().startswith(("collider_", "rigid_"))]
    named = {prim.GetDisplayName(): UsdGeom.Imageable(prim) for prim in prims}
    for name, expected in bounds.items():
        found = named[name].ComputeWorldBound(at, UsdGeom.Tokens.default_).ComputeAlignedBox()
        close(name, [*found.GetMin(), *found.GetMax()], expected, 1e-6)
    camera = UsdGeom.Camera(stage.GetPrimAtPath("/scene/camera"))
    assert camera and camera.GetFocalLengthAttr().Get() > 0
    seen = camera.GetCamera(at).frustum
    close("camera", seen.GetPosition(), [1.0, 0.6, 1.0], 1e-9)
    close("view", seen.ComputeViewDirection(), np.array([-2.0, -1.0, -2.0]) / 3.0, 1e-9)


def main():
    folder, scene, frame = sys.argv[1], sys.argv[2], int(sys.argv[3])
    ply = read_ply(f"{folder}/particles/{scene}.{frame:04}.ply")
    check_vtk(folder, scene, frame, ply)
    bounds = dict(text.split("=") for text in sys.argv[4:])
    bounds = {name: [float(x) for x in numbers.split(",")] for name, numbers in bounds.items()}
    check_usd(folder, scene, frame, ply, bounds)
    stress = columns(ply, "stress", SYMMETRIC).astype(np.float64)
    pressure = -stress[:, :3].mean(axis=1)
    close("pressure", ply["pressure"], pressure, 1e-6 * np.abs(stress).max(initial=1.0))
    det = np.linalg.det(columns(ply, "deformation", TENSOR).astype(np.float64).reshape(-1, 3, 3))
    close("det F", det, ply["J"], 1e-5)
    print(f"{len(ply)} particles alike")


main()

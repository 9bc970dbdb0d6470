// Data that particles carry for models of the tensor variant: the second elastic strain (two words) and the deformation gradient
// (three words), each only if a model of the scene asks for it; HISTORY_WORDS words per particle.

TensorPoint carried_point(uint p, Trial t, mat3 step, out bool clamped) {
    TensorPoint point = resting_point();
    point.strain = Stretch(t.hencky, t.axes);
    clamped = t.clamped;
    uint at = p * HISTORY_WORDS;
    if (HISTORY_BRANCH) {
        Trial b = trial_strain(Symmetric(history(at).xyz, history(at + 1u).xyz), step);
        point.branch = Stretch(b.hencky, b.axes);
        clamped = clamped || b.clamped;
        at += 2u;
    }
    if (HISTORY_DEFORMATION) {
        mat3 F = mat3(history(at).xyz, history(at + 1u).xyz, history(at + 2u).xyz);
        point.deformation = F + step * F;
    }
    return point;
}

Symmetric strain_of(Stretch stretch) {
    return to_symmetric(compose(stretch.axes, expm1_(2.0 * stretch.hencky)));
}

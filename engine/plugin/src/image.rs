//! The content of a library file, loaded from a private copy.
//!
//! The system maps a library's file and reads its pages on first use. Overwriting that file (`cp`, a file server) would change or
//! cut off the pages of a library in use and end the process with a bus error, so the file that is mapped belongs to this process
//! alone. The hash of the content is therefore the hash of the code that runs, and a rebuilt library can be loaded under the name
//! of one still in use: a loader returns the library it already has for a file it knows.

use std::io;
use std::path::Path;
use std::sync::Once;

use libloading::Library;
use tempfile::TempDir;

use crate::PluginError;

/// Loads the library `content`, read from `file`. If the system refuses the copy (temporary files that may not be executed,
/// libraries that expect others next to `file`), loads the file itself.
pub(crate) fn open(file: &Path, content: &[u8]) -> Result<Library, PluginError> {
    let refuse = |reason: String| PluginError::NotALibrary { path: file.to_path_buf(), reason };
    if let Some(end) = elf_end(content).filter(|&end| end > content.len() as u64) {
        let reason =
            format!("it has {} of {end} bytes: it is cut off, or still being written", content.len());
        return Err(refuse(reason));
    }
    if let Some(library) = open_copy(file, content) {
        return Ok(library);
    }
    // A bare file name would send the loader to the system's folders.
    let file = if file.components().count() > 1 { file.to_path_buf() } else { Path::new(".").join(file) };
    load(&file).map_err(|error| {
        let source = std::error::Error::source(&error);
        refuse(source.map_or_else(|| error.to_string(), ToString::to_string))
    })
}

/// Keeps the file's name for debuggers. The copy is removed at once; the mapping keeps its content. (On Windows, files in use
/// cannot be removed and stay in the folder for temporary files.)
fn open_copy(file: &Path, content: &[u8]) -> Option<Library> {
    let folder = private_folder().ok()?;
    let copy = folder.path().join(file.file_name()?);
    std::fs::write(&copy, content).ok()?;
    load(&copy).ok()
}

/// Prefix of folders of private copies, before the process id.
const PREFIX: &str = "tuff-library-";

/// Creates a temporary folder of this process, removed on drop. The first call removes folders of processes that were killed.
pub(crate) fn private_folder() -> io::Result<TempDir> {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(|| sweep(&std::env::temp_dir()));
    tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", std::process::id())).tempdir()
}

/// Removes the folders of private copies in `folder` whose processes are gone. Where the system does not list processes as files,
/// the folders stay.
fn sweep(folder: &Path) {
    if !Path::new("/proc/self").exists() {
        return;
    }
    let owner = |name: &str| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(owner) = entry.file_name().to_str().and_then(owner) else { continue };
        if !Path::new(&format!("/proc/{owner}")).exists() {
            // Another user's folder stays.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn load(file: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: loading runs the library's initializers; the user chose to trust the files on the search path.
    #[cfg(unix)]
    let library = unsafe {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        Library::open(Some(file), RTLD_NOW | RTLD_LOCAL).map(Into::into)
    };
    // SAFETY: as above.
    #[cfg(not(unix))]
    let library = unsafe { Library::new(file) };
    library
}

/// Returns where the last segment or the section table of a little-endian 64-bit ELF file ends \[bytes\]; `None` for other files.
/// Loaders trust these numbers: a shorter file crashes the process.
fn elf_end(content: &[u8]) -> Option<u64> {
    let bytes = |at: u64, count: usize| content.get(usize::try_from(at).ok()?..)?.get(..count);
    let number = |at: u64, count: usize| {
        bytes(at, count).map(|b| b.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte)))
    };
    if bytes(0, 6)? != [0x7f, b'E', b'L', b'F', 2, 1] {
        return None;
    }
    // A truncated header counts as complete, so that the end lies beyond the content.
    let field = |at: u64, count: usize| number(at, count).unwrap_or(0);
    let table = |first: u64, size: u64, count: u64| first.saturating_add(size * count);
    let (segments, segment_size, segment_count) = (field(0x20, 8), field(0x36, 2), field(0x38, 2));
    let sections = table(field(0x28, 8), field(0x3a, 2), field(0x3c, 2));
    let mut end = sections.max(table(segments, segment_size, segment_count)).max(64);
    for index in 0..segment_count {
        let segment = segments.saturating_add(index * segment_size);
        end =
            end.max(field(segment.saturating_add(8), 8).saturating_add(field(segment.saturating_add(32), 8)));
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn copies_of_processes_that_are_gone_are_removed() {
        let root = tempfile::tempdir().unwrap();
        // No process has the largest number.
        let folder = |owner: &str| root.path().join(format!("{PREFIX}{owner}-x"));
        let (gone, own) = (folder(&u32::MAX.to_string()), folder(&std::process::id().to_string()));
        let other = root.path().join("tuff-something");
        for folder in [&gone, &own, &other] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("libtuff_a.so"), "").unwrap();
        }
        sweep(root.path());
        assert!(!gone.exists() && own.exists() && other.exists());
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    #[test]
    fn an_executable_ends_where_its_tables_say() {
        let content = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(elf_end(&content).unwrap() <= content.len() as u64);
        assert!(elf_end(&content[..content.len() / 2]).unwrap() > content.len() as u64 / 2);
        for count in [6, 40, 63, 70] {
            assert!(elf_end(&content[..count]).unwrap() > count as u64, "{count}");
        }
        assert_eq!(elf_end(b"not a library"), None);
        assert_eq!(elf_end(b""), None);
    }
}

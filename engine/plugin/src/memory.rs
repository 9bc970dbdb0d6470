//! Checks that memory to which a library points exists.

/// Returns true if the `length` bytes from `pointer` on can be read. A library that declares a wrong length would otherwise end
/// the process silently. If the system cannot tell, trusts the library.
pub(crate) fn is_readable<T>(pointer: *const T, length: usize) -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::FileExt;
        let Ok(memory) = std::fs::File::open("/proc/self/mem") else { return true };
        let mut piece = [0; 4096];
        let (start, mut done) = (pointer.addr(), 0);
        while done < length {
            let wanted = piece.len().min(length - done);
            let Some(address) = start.checked_add(done) else { return false };
            match memory.read_at(&mut piece[..wanted], address as u64) {
                Ok(0) | Err(_) => return false,
                Ok(count) => done += count,
            }
        }
    }
    let _ = (pointer, length);
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_told_from_memory_that_is() {
        let bytes = vec![1_u8; 100_000];
        assert!(is_readable(bytes.as_ptr(), bytes.len()));
        assert!(is_readable("text".as_ptr(), 4));
        assert!(!is_readable("text".as_ptr(), 1 << 40));
        assert!(!is_readable(std::ptr::without_provenance::<u8>(16), 1));
        assert!(!is_readable(std::ptr::without_provenance::<u8>(usize::MAX - 8), 64));
    }
}

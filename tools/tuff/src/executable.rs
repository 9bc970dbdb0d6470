//! Hashes of files.

/// XXH3 of this program's file, hexadecimal; `None` when it cannot be read.
pub fn hash() -> Option<String> {
    Some(content_hash(&std::fs::read(std::env::current_exe().ok()?).ok()?))
}

/// XXH3 of `content`, hexadecimal.
pub fn content_hash(content: &[u8]) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(content))
}

//! Finding a text among the texts of a program: the hash table that the compiler writes and the runtime reads.

/// The slots of a table of sorted texts; each holds the place of a text, from 1 on, or 0.
///
/// # Panics
/// When there are more texts than 16 bits count.
#[must_use]
pub fn table(texts: &[&str]) -> Vec<u16> {
    let size = (texts.len() * 4).next_power_of_two();
    let mut slots = vec![0_u16; size];
    for (index, text) in texts.iter().enumerate() {
        let mut slot = hash(text) & (size - 1);
        while slots[slot] != 0 {
            slot = (slot + 1) & (size - 1);
        }
        assert!(index < usize::from(u16::MAX), "more than 65,534 texts in a program");
        slots[slot] = u16::try_from(index + 1).unwrap_or_default();
    }
    slots
}

/// The hash of a text, the same on every machine.
#[must_use]
#[allow(clippy::cast_possible_truncation)]
pub fn hash(text: &str) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(FACTOR).rotate_left(23);
    let mut hash = text.len() as u64;
    let mut words = text.as_bytes().chunks_exact(8);
    for word in &mut words {
        hash = mix(hash, word.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)));
    }
    hash = mix(hash, words.remainder().iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)));
    (hash ^ hash >> 29) as u32 as usize
}

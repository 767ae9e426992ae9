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
    let mut bytes = text.as_bytes();
    while let Some((word, rest)) = bytes.split_first_chunk() {
        hash = mix(hash, u64::from_le_bytes(*word));
        bytes = rest;
    }
    // What is left of it is read in at most three steps, some of it twice.
    let rest = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
        _ => match bytes {
            [first, .., last] => u64::from(bytes[bytes.len() / 2]) << 16 | u64::from(*first) << 8 | u64::from(*last),
            [only] => u64::from(*only),
            [] => 0,
        },
    };
    hash = mix(hash, rest);
    (hash ^ hash >> 29) as u32 as usize
}

/// The bit of a word among the words of an object.
#[inline]
#[must_use]
pub const fn bit(rank: usize) -> u64 {
    1 << (rank & 63)
}

/// The bits of words by their ranks; 0 stands for what is no word.
pub fn bits(ranks: impl IntoIterator<Item = usize>) -> u64 {
    ranks.into_iter().filter(|rank| *rank > 0).fold(0, |bits, rank| bits | bit(rank))
}

/// How many slots the table of an object with so many entries has: none where there are more than 16 bits count.
#[must_use]
pub const fn slots(entries: usize) -> usize {
    if entries >= u16::MAX as usize { 0 } else { (entries * 2).next_power_of_two() }
}

/// Writes the table into [`slots`] zeros: for each key that is a word, by its rank, the place of its entry, from 1 on.
pub fn places(ranks: impl IntoIterator<Item = usize>, slots: &mut [u16]) {
    let Some(mask) = slots.len().checked_sub(1) else { return };
    for (place, rank) in (1..).zip(ranks).filter(|(_, rank)| *rank > 0) {
        let mut slot = rank & mask;
        while slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slots[slot] = place;
    }
}

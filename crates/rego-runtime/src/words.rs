//! The texts that a program holds, numbered in their order, so that two of them compare by number.

/// The texts of a program, sorted, and a table that finds the number of one.
#[derive(Debug)]
pub struct Words {
    texts: &'static [&'static str],
    slots: &'static [u16],
    longest: usize,
}

/// The place of a text among the words of the program, from 1 on; 0 for a text that is none of them.
pub type Rank = u32;

impl Words {
    /// No words: every text is compared letter by letter.
    pub const NONE: Self = Self { texts: &[], slots: &[], longest: 0 };

    /// Words as `rego-compiler` writes them: the texts sorted, and [`Words::table`] of them.
    #[must_use]
    pub const fn new(texts: &'static [&'static str], slots: &'static [u16], longest: usize) -> Self {
        Self { texts, slots, longest }
    }

    /// The slots of a hash table of sorted texts; each holds a rank, or 0.
    #[must_use]
    pub fn table(texts: &[&str]) -> Vec<u16> {
        rego_plan::words::table(texts)
    }

    /// The rank of a text.
    #[must_use]
    pub fn rank(&self, text: &str) -> Rank {
        if text.len() > self.longest || self.slots.is_empty() {
            return 0;
        }
        let mask = self.slots.len() - 1;
        let mut slot = rego_plan::words::hash(text) & mask;
        loop {
            match self.slots[slot] {
                0 => return 0,
                rank if self.texts[usize::from(rank) - 1] == text => return Rank::from(rank),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// A text as a word, if it is one.
    #[must_use]
    pub fn word(&self, text: &str) -> Option<&'static &'static str> {
        match self.rank(text) {
            0 => None,
            rank => Some(self.text(rank)),
        }
    }

    /// The rank of a word, which is known by where it stands.
    pub(crate) fn rank_of(&self, word: &'static &'static str) -> Rank {
        let from = std::ptr::from_ref(word).addr().wrapping_sub(self.texts.as_ptr().addr());
        let at = from / size_of::<&str>();
        if at < self.texts.len() { Rank::try_from(at + 1).unwrap_or_default() } else { 0 }
    }

    /// The text of a rank above 0.
    #[must_use]
    pub fn text(&self, rank: Rank) -> &'static &'static str {
        &self.texts[rank as usize - 1]
    }

    /// All of them, in order.
    #[must_use]
    pub const fn texts(&self) -> &'static [&'static str] {
        self.texts
    }
}

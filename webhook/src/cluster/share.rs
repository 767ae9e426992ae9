//! What of a cluster is kept in memory, and how much of that may be one namespace's or one kind's.

use std::collections::HashMap;

use super::discovery::GroupKind;

/// The memory for objects of other people, and what they take up. Sizes are estimates.
pub struct Shares {
    /// What all objects may take up.
    max: usize,
    total: usize,
    /// By namespace, "" for what has none.
    namespaces: HashMap<String, usize>,
    kinds: HashMap<GroupKind, usize>,
}

impl Shares {
    pub fn new(max: usize) -> Self {
        Self { max, total: 0, namespaces: HashMap::new(), kinds: HashMap::new() }
    }

    /// Makes room for an object instead of an earlier one of its name. False when there is none: half of all is for one namespace at most,
    /// three quarters are for one kind. The earlier one is given up either way.
    pub fn replace(&mut self, kind: &GroupKind, namespace: &str, before: usize, bytes: usize) -> bool {
        self.give_back(kind, namespace, before);
        let of_namespace = self.namespaces.get(namespace).copied().unwrap_or_default();
        let of_kind = self.kinds.get(kind).copied().unwrap_or_default();
        let fits = self.total + bytes <= self.max
            && of_namespace + bytes <= self.max / 2
            && of_kind + bytes <= self.max / 4 * 3;
        if fits && bytes > 0 {
            self.total += bytes;
            *self.namespaces.entry(namespace.to_owned()).or_default() += bytes;
            *self.kinds.entry(kind.clone()).or_default() += bytes;
        }
        fits
    }

    pub fn give_back(&mut self, kind: &GroupKind, namespace: &str, bytes: usize) {
        self.total -= bytes;
        if let Some(of) = self.namespaces.get_mut(namespace) {
            *of -= bytes;
            if *of == 0 {
                self.namespaces.remove(namespace);
            }
        }
        if let Some(of) = self.kinds.get_mut(kind) {
            *of -= bytes;
        }
    }

    /// What all objects take up.
    pub fn total(&self) -> usize {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_namespace_nor_a_kind_takes_all() {
        let kind = |name: &str| ("g".to_owned(), name.to_owned());
        let mut shares = Shares::new(1000);
        assert!(shares.replace(&kind("A"), "hostile", 0, 400));
        assert!(!shares.replace(&kind("B"), "hostile", 0, 200), "half is for one namespace");
        assert!(shares.replace(&kind("A"), "shop", 0, 350));
        assert!(!shares.replace(&kind("A"), "other", 0, 1), "three quarters are for one kind");
        assert!(shares.replace(&kind("B"), "shop", 0, 100));
        assert!(!shares.replace(&kind("B"), "other", 0, 151), "there is no more");
        // What grows too large gives up what it had.
        assert!(!shares.replace(&kind("A"), "hostile", 400, 600));
        assert_eq!(shares.total(), 450);
        shares.give_back(&kind("A"), "shop", 350);
        shares.give_back(&kind("B"), "shop", 100);
        assert!(shares.total() == 0 && shares.namespaces.is_empty());
    }
}

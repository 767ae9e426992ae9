//! Whether a file can hold anything of interest, before it is parsed. Most YAML of a repository is of kinds that no rule reads.

use std::collections::HashSet;

use memchr::memmem::Finder;

/// Looks for kinds in the bytes of files. It errs on one side: what is written in an unusual way is of interest.
pub struct Prefilter {
    kinds: HashSet<Box<[u8]>>,
    kind: Finder<'static>,
}

impl Prefilter {
    pub fn new<'a>(kinds: impl IntoIterator<Item = &'a str>) -> Self {
        Self { kinds: kinds.into_iter().map(|kind| kind.as_bytes().into()).collect(), kind: Finder::new(b"kind") }
    }

    /// False where no document of a file is of a kind that is looked for.
    pub fn admits(&self, bytes: &[u8]) -> bool {
        // UTF-16, escapes in quoted text, and tags can hide a kind from a search for it.
        if bytes.contains(&0) || bytes.windows(2).any(|pair| matches!(pair, b"\\x" | b"\\u" | b"\\U" | b"!!")) {
            return true;
        }
        self.kind.find_iter(bytes).any(|at| self.is_of_interest(&bytes[at + 4..]))
    }

    /// `rest`: what follows on `kind`.
    fn is_of_interest(&self, rest: &[u8]) -> bool {
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        // `kinds:`, `kindly`: another word.
        if rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            return false;
        }
        let rest = rest.trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b":") else {
            // In prose; or a key of two lines (`? kind`), which nobody writes but which is one.
            return rest.is_empty();
        };
        let rest = rest.trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let word = &rest[..end];
        // No plain word: an anchor, an alias, a block, a placeholder.
        let word = if word.len() > 4 { word.strip_suffix(b"List").unwrap_or(word) } else { word };
        word.is_empty() || word == b"List" || self.kinds.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_however_they_are_written() {
        let prefilter = Prefilter::new(["Cluster", "StorageClass"]);
        for text in [
            "kind: Cluster\n",
            "  kind:   'Cluster'",
            "{\"kind\":\"StorageClass\"}",
            "{\"kind\" : \"Cluster\"}",
            "kind: Cluster # x",
            "kind:\n  Cluster\n",
            "kind: ClusterList",
            "kind: List",
            "kind: &k Cluster",
            "kind: *k",
            "kind: !!str Cluster",
            "kind: >-\n  Cluster",
            "\"k\\x69nd\": Cluster",
            "kind: ${KIND}",
            "kind: Service\n---\nkind: Cluster",
        ] {
            assert!(prefilter.admits(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "a: 1",
            "kind: Service",
            "kinds: [Cluster]",
            "mankind: Clusters",
            "# of this kind, Cluster",
            "kind: ClusterRole",
        ] {
            assert!(!prefilter.admits(text.as_bytes()), "{text}");
        }
    }
}

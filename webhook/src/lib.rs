//! The hosts of the walguard rules that a user runs: the admission webhook (`serve`) and the linter (`lint`).

pub mod inventory;

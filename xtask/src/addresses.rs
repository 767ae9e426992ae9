//! Where walguard is published: said in Cargo.toml alone, and carried from there to every file that has to name it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

/// Files that name the repository or the image and are not generated otherwise.
const CARRIED: [&str; 9] = [
    "Chart.yaml",
    "values.yaml",
    "docs/ci.md",
    "editors/vscode/README.md",
    "editors/vscode/extension.js",
    "editors/vscode/package.json",
    "editors/zed/extension.toml",
    "editors/zed/src/lib.rs",
    "policies/kubewarden/Cargo.toml",
];
/// Pages with blocks that differ before and after the first release: `dist/install/NAME.{clone,release}.md`.
const PAGES: [&str; 5] = ["README.md", "docs/ci.md", "docs/policy.md", "docs/quick-start.md", "docs/webhook.md"];
const END: &str = "<!-- /install -->";

/// What Cargo.toml says.
pub struct Addresses {
    pub repository: String,
    pub image: String,
    pub docs: String,
    pub published: bool,
    version: String,
}

impl Addresses {
    pub fn read(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join("Cargo.toml")).context("cannot read Cargo.toml")?;
        let quoted = |key: &str| {
            let value = value(&text, &format!("{key} = ")).with_context(|| format!("Cargo.toml has no {key}"))?;
            Ok::<_, anyhow::Error>(value.trim_matches('"').to_owned())
        };
        let addresses = Self {
            repository: quoted("repository")?,
            image: quoted("image")?,
            docs: quoted("docs")?,
            published: quoted("published")? == "true",
            version: quoted("version")?,
        };
        ensure!(addresses.repository.starts_with("https://github.com/"), "releases are made by a workflow of GitHub");
        Ok(addresses)
    }

    /// `owner/name`
    fn slug(&self) -> &str {
        self.repository.trim_start_matches("https://github.com/")
    }

    /// Where chart, rules and policy are, beside the image.
    fn registry(&self) -> &str {
        self.image.rsplit_once('/').map_or(&self.image, |(registry, _)| registry)
    }

    /// A file under a branch or tag, as it is.
    pub fn raw(&self, path: &str) -> String {
        format!("https://raw.githubusercontent.com/{}/main/{path}", self.slug())
    }

    fn fill(&self, text: &str) -> String {
        text.replace("{repository}", &self.repository)
            .replace("{slug}", self.slug())
            .replace("{image}", &self.image)
            .replace("{registry}", self.registry())
            .replace("{version}", &self.version)
    }

    /// `crates/engine/src/addresses.rs`: what the program shows.
    fn constants(&self) -> String {
        let shown = |address: &str| if self.published { address.to_owned() } else { String::new() };
        format!(
            "//! Generated from Cargo.toml by \"make generate\". Do not edit.\n\n\
             /// The repository; empty while nothing is published.\npub const REPOSITORY: &str = {:?};\n\
             /// The site of the documentation, which has a page for every check; empty while nothing is published.\n\
             pub const DOCS: &str = {:?};\n",
            shown(&self.repository),
            shown(&self.docs)
        )
    }
}

/// What follows a text at the beginning of a line.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.trim_start().strip_prefix(key)).map(str::trim)
}

/// Puts every file that names an address into `files`.
pub fn carry(root: &Path, files: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    let to = Addresses::read(root)?;
    let read = |path: &str| fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"));
    let chart = read("Chart.yaml")?;
    let values = read("values.yaml")?;
    // As it was when they were generated last.
    let from = value(&chart, "home: ").context("Chart.yaml has no home")?;
    let image = value(&values, "repository: ").context("values.yaml has no repository")?;
    let slug = from.trim_start_matches("https://github.com/").to_owned();
    let moved = |text: &str| {
        text.replace(from, &to.repository)
            .replace(image, &to.image)
            .replace(&format!("{slug}@main"), &format!("{}@main", to.slug()))
    };
    let snapshots = fs::read_dir(root.join("webhook/tests/snapshots")).into_iter().flatten().flatten();
    let snapshots = snapshots.map(|entry| format!("webhook/tests/snapshots/{}", entry.file_name().to_string_lossy()));
    let charts = snapshots.filter(|path| path.contains("/chart__") && path.ends_with(".snap"));
    for path in CARRIED.into_iter().map(str::to_owned).chain(charts) {
        files.insert(PathBuf::from(&path), moved(&read(&path)?));
    }
    for page in PAGES {
        let text = files.get(Path::new(page)).cloned().map_or_else(|| read(page), Ok)?;
        files.insert(page.into(), blocks(root, &to, &text).with_context(|| page.to_owned())?);
    }
    files.insert("crates/engine/src/addresses.rs".into(), to.constants());
    Ok(())
}

/// A page with its blocks as they are before or after the first release.
fn blocks(root: &Path, addresses: &Addresses, page: &str) -> Result<String> {
    let mut parts = page.split("<!-- install: ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->").context("a block has no name")?;
        let (_, after) = rest.split_once(END).with_context(|| format!("the block {name} has no end"))?;
        let file = format!("dist/install/{name}.{}.md", if addresses.published { "release" } else { "clone" });
        let block = fs::read_to_string(root.join(&file)).with_context(|| format!("cannot read {file}"))?;
        text.push_str(&format!("<!-- install: {name} -->\n{}{END}{after}", addresses.fill(&block)));
    }
    Ok(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Files that follow from the rules or from other files, and the one place.
    const GENERATED: [&str; 9] = [
        "Cargo.toml",
        "README.md",
        "docs/policy.md",
        "docs/values.md",
        "docs/walguard.schema.json",
        "docs/webhook.md",
        "crates/engine/src/addresses.rs",
        "policies/kubewarden/artifacthub-pkg.yml",
        "policies/kubewarden/metadata.yml",
    ];

    #[test]
    fn no_other_file_names_them() {
        let root = crate::root().unwrap();
        let addresses = Addresses::read(&root).unwrap();
        let mut grep = Command::new("git");
        grep.args(["grep", "-lIF", "-e", &addresses.repository, "-e", &addresses.image]);
        let Ok(output) = grep.current_dir(&root).output() else { return };
        let named = String::from_utf8(output.stdout).unwrap();
        let known = |path: &&str| {
            CARRIED.contains(path) || GENERATED.contains(path) || path.starts_with("webhook/tests/snapshots/chart__")
        };
        let unknown: Vec<&str> = named.lines().filter(|path| !known(path)).collect();
        assert_eq!(unknown, [""; 0], "these would keep an old address");
    }

    #[test]
    fn a_move_reaches_every_file() {
        let root = crate::root().unwrap();
        let place = std::env::temp_dir().join(format!("walguard-addresses-{}", std::process::id()));
        let copy = |path: &str| {
            let target = place.join(path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(root.join(path), target).unwrap();
        };
        let installs = fs::read_dir(root.join("dist/install")).unwrap();
        let installs = installs.map(|entry| format!("dist/install/{}", entry.unwrap().file_name().to_string_lossy()));
        for path in CARRIED.into_iter().chain(PAGES).chain(["Cargo.toml"]).map(str::to_owned).chain(installs) {
            copy(&path);
        }
        let old = Addresses::read(&root).unwrap();
        let text = fs::read_to_string(place.join("Cargo.toml")).unwrap();
        let text =
            text.replace(&old.repository, "https://github.com/else/where").replace(&old.image, "example.org/a/b");
        fs::write(place.join("Cargo.toml"), text.replace("published = false", "published = true")).unwrap();
        let mut files = BTreeMap::new();
        carry(&place, &mut files).unwrap();
        fs::remove_dir_all(&place).unwrap();
        for (path, text) in &files {
            assert!(!text.contains(&old.repository) && !text.contains(&old.image), "{}", path.display());
            assert!(!text.contains("No image is published"), "{}", path.display());
        }
        assert!(files[Path::new("docs/ci.md")].contains("uses: else/where@main"));
        assert!(files[Path::new("README.md")].contains("https://github.com/else/where/releases"));
        assert!(files[Path::new("crates/engine/src/addresses.rs")].contains("DOCS: &str = \"https://"));
    }
}

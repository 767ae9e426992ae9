//! Files that change while the server runs: mounted Secrets and ConfigMaps.

use std::path::PathBuf;
use std::time::Duration;

/// Reads the files again and again and calls `changed` when their contents differ from `seen` and from what it was
/// called with before. The contents are compared, not times or inodes: a kubelet swaps a symlink two levels up.
/// A file that cannot be read just now is tried again.
pub async fn watch(
    paths: Vec<PathBuf>,
    mut seen: Vec<Vec<u8>>,
    every: Duration,
    mut changed: impl FnMut(&[Vec<u8>]) + Send,
) {
    loop {
        tokio::time::sleep(every).await;
        match read(&paths).await {
            Ok(contents) if contents != seen => {
                changed(&contents);
                seen = contents;
            }
            Ok(_) => {}
            Err(error) => tracing::warn!("{error:#}"),
        }
    }
}

/// The contents of files, in their order.
///
/// # Errors
/// When one cannot be read; the error names it.
pub async fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut contents = Vec::with_capacity(paths.len());
    for path in paths {
        let content = tokio::fs::read(path).await;
        contents.push(content.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?);
    }
    Ok(contents)
}

//! What pictures of a cluster are drawn from, asked of the rules.

use serde_json::Value as Json;
use walguard_engine::{Engine, EvaluationError, PathSegment, Review};
use walguard_report::Picture;

use crate::judgement;

/// The pictures of the cluster under review; `object` is that. `None` where nothing can be drawn.
///
/// # Errors
/// As [`Engine::judge`].
pub fn of(engine: &mut Engine, review: &Review, object: &Json) -> Result<Option<Picture>, EvaluationError> {
    let sheet = serde_json::to_value(&engine.ask("walguard.pictures.sheet", review)?)?;
    if sheet.is_null() {
        return Ok(None);
    }
    let mut picture: Picture = serde_json::from_value(sheet)?;
    let most = picture.volumes.iter().map(|volume| volume.sizes_bytes.len()).max().unwrap_or_default();
    // Each round gives every volume another size.
    for round in 0..most {
        let mut resized = object.clone();
        let mut asked: Vec<Option<u64>> = Vec::new();
        for volume in &picture.volumes {
            let size = volume.sizes_bytes.get(round);
            let place = volume.size_path.as_ref().and_then(|path| at(&mut resized, path));
            asked.push(size.zip(place).map(|(size, place)| {
                *place = size.to_string().into();
                *size
            }));
        }
        let request = judgement::request(&walguard_engine::value(resized));
        let rates =
            serde_json::to_value(&engine.ask("walguard.pictures.rates", &Review { request, ..review.clone() })?)?;
        for (volume, size) in picture.volumes.iter_mut().zip(asked) {
            volume.curve.extend(size.zip(rates.get(&volume.id).and_then(Json::as_f64)));
        }
    }
    Ok(Some(picture))
}

/// The place in an object that a path leads to.
fn at<'v>(value: &'v mut Json, path: &[PathSegment]) -> Option<&'v mut Json> {
    path.iter().try_fold(value, |value, segment| match segment {
        PathSegment::Index(index) => value.get_mut(index),
        PathSegment::Key(key) => value.get_mut(key),
    })
}

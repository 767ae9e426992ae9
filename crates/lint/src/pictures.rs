//! What pictures of a cluster are drawn from, asked of the rules.

use serde_json::Value as Json;
use walguard_engine::{Engine, EvaluationError, Review, value_at_mut};
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
            let place = volume.size_path.as_ref().and_then(|path| value_at_mut(&mut resized, path));
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

/// What is said when [`of`] ends with an error: the findings stand, the picture is missing.
#[must_use]
pub fn failure(error: &EvaluationError) -> String {
    format!("the report has no picture of it: {error}")
}

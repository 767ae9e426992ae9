//! The smallest review that still shows a difference.

use serde_json::{Value as Json, json};

use crate::corpus::places;
use crate::review::Review;

/// Attempts after which a review is small enough.
const ATTEMPTS: usize = 1500;

/// Takes from a review whatever can go while `shows` holds: whole parts first, then single values.
pub fn shrink(review: &Review, mut shows: impl FnMut(&Review) -> bool) -> Review {
    let mut small = review.clone();
    let mut attempts = 0;
    loop {
        let mut smaller = false;
        let mut all = places(&small.input);
        // From the outside in: what goes first takes the most with it.
        all.sort_by_key(|place| place.matches('/').count());
        for place in all {
            for candidate in candidates(&small.input, &place) {
                attempts += 1;
                if attempts > ATTEMPTS {
                    return small;
                }
                let candidate = Review { name: small.name.clone(), input: candidate };
                if shows(&candidate) {
                    small = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        if !smaller {
            return small;
        }
    }
}

/// A value without what stands at a place, or with something simpler there.
fn candidates(value: &Json, place: &str) -> Vec<Json> {
    let Some((parent, key)) = place.rsplit_once('/') else { return Vec::new() };
    let Some(now) = value.pointer(place) else { return Vec::new() };
    let key = key.replace("~1", "/").replace("~0", "~");
    let mut without = value.clone();
    match without.pointer_mut(parent) {
        Some(Json::Object(fields)) => drop(fields.remove(&key)),
        Some(Json::Array(items)) => drop(items.remove(key.parse().unwrap_or_default())),
        _ => return Vec::new(),
    }
    let mut found = vec![without];
    let simpler = match now {
        Json::Object(_) | Json::Array(_) => Vec::new(),
        Json::String(text) if text.chars().count() > 1 => {
            let half = text.chars().count() / 2;
            vec![json!(text.chars().take(half).collect::<String>()), json!(text.chars().skip(half).collect::<String>())]
        }
        _ => Vec::new(),
    };
    for new in simpler {
        let mut other = value.clone();
        if let Some(at) = other.pointer_mut(place) {
            *at = new;
            found.push(other);
        }
    }
    found
}

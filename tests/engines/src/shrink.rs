//! The smallest review that still shows a difference.

use serde_json::{Value as Json, json};

use crate::corpus::places;
use crate::review::Review;

/// Candidates that are judged at a time: a host that is a program to start takes hardly longer for many than for one.
const AT_A_TIME: usize = 50;
/// Judgements after which a review is small enough.
const JUDGEMENTS: usize = 400;

/// Takes from a review whatever can go while `shows` holds: whole parts first, then single values. `shows` says it of each
/// of some reviews.
pub fn shrink(review: &Review, mut shows: impl FnMut(&[Review]) -> Vec<bool>) -> Review {
    let mut small = review.clone();
    let mut judgements = 0;
    loop {
        let mut smaller = false;
        let mut all = places(&small.input);
        // From the outside in: what goes first takes the most with it.
        all.sort_by_key(|place| place.matches('/').count());
        let mut next = 0;
        while next < all.len() {
            let mut tried: Vec<(usize, Review)> = Vec::new();
            for (index, place) in all.iter().enumerate().skip(next) {
                let made = candidates(&small.input, place).into_iter();
                tried.extend(made.map(|input| (index, Review { name: small.name.clone(), input })));
                if tried.len() >= AT_A_TIME {
                    break;
                }
            }
            let Some((last, _)) = tried.last() else { break };
            if judgements == JUDGEMENTS {
                return small;
            }
            judgements += 1;
            next = last + 1;
            let reviews: Vec<Review> = tried.iter().map(|(_, review)| review.clone()).collect();
            if let Some(first) = shows(&reviews).iter().position(|shown| *shown) {
                let (index, found) = tried.swap_remove(first);
                (small, next, smaller) = (found, index + 1, true);
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

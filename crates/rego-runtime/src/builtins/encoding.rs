//! JSON and base64 within texts.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{Fault, Given, text_in};
use crate::{Context, Value};

/// Go's `StdEncoding`: padding is a must, and bits behind the last byte are not looked at.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

fn decoded(text: &str) -> Option<Vec<u8>> {
    // Line breaks are passed over.
    let bytes: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    BASE64.decode(bytes).ok()
}

/// `base64.decode(text)`: what is no UTF-8 becomes the replacement character.
///
/// # Errors
/// When it is no text in base64.
pub(super) fn base64_decode<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let bytes = decoded(text_in(arguments[0])?).ok_or(Fault::Undefined)?;
    Ok(context.text(&String::from_utf8_lossy(&bytes)))
}

/// `base64.encode(text)`
///
/// # Errors
/// When it is no text.
pub(super) fn base64_encode<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    Ok(context.text(&BASE64.encode(text_in(arguments[0])?)))
}

/// `base64.is_valid(text)`
///
/// # Errors
/// None.
pub(super) fn base64_is_valid<'a>(_: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    Ok(Value::from(arguments[0].as_text().is_some_and(|text| decoded(text).is_some())))
}

/// `json.marshal(x)`
///
/// # Errors
/// None.
pub(super) fn json_marshal<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let mut json = String::new();
    arguments[0].write_json_of_go(&mut json);
    Ok(context.text(&json))
}

/// `json.unmarshal(text)`
///
/// # Errors
/// When it is no text of JSON.
pub(super) fn json_unmarshal<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    context.parse(text_in(arguments[0])?.as_bytes()).map_err(|_| Fault::Undefined)
}

/// `json.is_valid(text)`
///
/// # Errors
/// None.
pub(super) fn json_is_valid<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    Ok(Value::from(arguments[0].as_text().is_some_and(|text| context.parse(text.as_bytes()).is_ok())))
}

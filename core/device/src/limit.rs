//! The memory limit a user sets before the start: `ICICLE_MEMORY_LIMIT`.

use icicle_error::{Error, Result};

/// The name of the variable.
const VARIABLE: &str = "ICICLE_MEMORY_LIMIT";

/// The variable's value, if it is set; what is not text is no limit that [`parse`] reads.
pub fn from_environment() -> Option<String> {
    std::env::var_os(VARIABLE).map(|text| text.to_string_lossy().into_owned())
}

/// Read a limit: bytes, with a suffix `K`, `M`, `G` or `T` (powers of 1024; `KiB` and `KB` mean the same), or a
/// percentage of a device's memory.
pub fn parse(text: &str, total: Option<u64>) -> Result<u64> {
    let bad = |rule: &str| Error::argument("device", format!("{VARIABLE} {text:?}: {rule}"));
    let form = "must be bytes such as 4096, 512M or 16GiB, or a percentage such as 80%";
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let (number, unit) = lower.split_at(digits);
    let number: u64 = number.parse().map_err(|_| bad(form))?;
    if unit.trim() == "%" {
        let total = total.ok_or_else(|| bad("the device's memory is unknown, so a percentage has no meaning"))?;
        return match number {
            0..=100 => Ok((u128::from(total) * u128::from(number) / 100) as u64),
            _ => Err(bad("a percentage must be at most 100")),
        };
    }
    let shift = match unit.trim() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(bad(form)),
    };
    number.checked_mul(1 << shift).ok_or_else(|| bad("exceeds 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_error::ErrorCode;

    #[test]
    fn sizes_and_percentages() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("4096 B", 4096),
            ("3k", 3 << 10),
            (" 512M ", 512 << 20),
            ("16GiB", 16 << 30),
            ("2 TB", 2 << 40),
            ("80%", 800),
            ("100 %", 1000),
            ("0%", 0),
        ] {
            assert_eq!(parse(text, Some(1000)).unwrap(), bytes, "{text}");
        }
        assert_eq!(parse("100%", Some(u64::MAX)).unwrap(), u64::MAX);
    }

    #[test]
    fn anything_else_is_named_in_the_error() {
        for text in ["", "G", "-1", "1.5G", "12Q", "101%", "18446744073709551616", "99999999T", "1 0"] {
            let error = parse(text, Some(1000)).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.detail.starts_with(&format!("{VARIABLE} {text:?}: ")), "{error}");
        }
        assert!(parse("50%", None).is_err());
    }
}

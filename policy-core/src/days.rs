//! Days, months and weekdays, in the proleptic Gregorian calendar.

/// From Monday on; each without the three letters that all of them end with.
pub(crate) const WEEKDAYS: [u64; 7] =
    [word(b"Mon"), word(b"Tues"), word(b"Wednes"), word(b"Thurs"), word(b"Fri"), word(b"Satur"), word(b"Sun")];

/// The part of a weekday's word that is its short name.
pub(crate) const SHORT_NAME: u64 = 0x00ff_ffff;

/// Up to seven letters as one number, the first one lowest, and a bit above the last one.
pub(crate) const fn word(letters: &[u8]) -> u64 {
    let (mut word, mut rest) = (1, letters);
    while let [more @ .., letter] = rest {
        word = word << 8 | *letter as u64;
        rest = more;
    }
    word
}

/// From January on.
pub(crate) const MONTHS: [u32; 12] = [
    name(*b"Jan"),
    name(*b"Feb"),
    name(*b"Mar"),
    name(*b"Apr"),
    name(*b"May"),
    name(*b"Jun"),
    name(*b"Jul"),
    name(*b"Aug"),
    name(*b"Sep"),
    name(*b"Oct"),
    name(*b"Nov"),
    name(*b"Dec"),
];

/// Three letters as one number.
const fn name([a, b, c]: [u8; 3]) -> u32 {
    u32::from_le_bytes([a, b, c, 0])
}

/// By the days of the calendar 400 years later, which is the same: days are counted from year 0.
pub(crate) const fn month_length(year: u32, month: u32) -> u32 {
    let year = year.wrapping_add(400);
    days_before(year, month.wrapping_add(1)).wrapping_sub(days_before(year, month))
}

/// Days from 1 March of year 0 to the day before the first of the month, in the proleptic Gregorian calendar; years run
/// from March, so that the leap day comes last. Not for the first two months of year 0.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(crate) const fn days_before(year: u32, month: u32) -> u32 {
    let (year, month) =
        if month > 2 { (year, month.wrapping_sub(3)) } else { (year.wrapping_sub(1), month.wrapping_add(9)) };
    let leap_days = (year / 4).wrapping_sub(year / 100).wrapping_add(year / 400);
    let days = (153_u32.wrapping_mul(month).wrapping_add(2) / 5).wrapping_sub(1);
    year.wrapping_mul(365).wrapping_add(leap_days).wrapping_add(days)
}

/// 1 March of year 0 was a Wednesday.
pub(crate) const WEEKDAY_OF_DAY_0: u32 = 2;

/// Days from 1 March of year 0 to 1 January 1970.
pub(crate) const EPOCH: u32 = 719_468;

/// The century, from the year 0, in which a day since 1970 lies: four of them have 146,097 days, the first of four the one
/// more, and 1 January of the first year comes 60 days before 1 March.
pub(crate) const fn century_of(day: u64) -> u32 {
    (day as u32).wrapping_add(EPOCH + 60).wrapping_mul(4) / 146_097
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_from_1900_to_9999_has_its_number() {
        let mut day = days_before(1900, 1);
        for year in 1900..=9999 {
            for month in 1..=12 {
                for date in 1..=month_length(year, month) {
                    day += 1;
                    assert_eq!(days_before(year, month) + date, day, "{year}-{month}-{date}");
                }
            }
            if let Some(last) = day.checked_sub(EPOCH) {
                let first = u64::from(last) - 364;
                assert_eq!((century_of(first), century_of(last.into())), (year / 100, year / 100), "{year}");
            }
        }
        assert_eq!(days_before(1970, 1) + 1, EPOCH);
        assert_eq!((EPOCH + WEEKDAY_OF_DAY_0) % 7, 3, "1 January 1970 was a Thursday");
    }
}

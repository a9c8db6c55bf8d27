//! Days, months and weekdays, in the proleptic Gregorian calendar.

/// From Monday, 0.
pub(crate) const WEEKDAYS: [u32; 7] =
    [name(*b"Mon"), name(*b"Tue"), name(*b"Wed"), name(*b"Thu"), name(*b"Fri"), name(*b"Sat"), name(*b"Sun")];

/// From January, 0.
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
pub(crate) const fn name([a, b, c]: [u8; 3]) -> u32 {
    u32::from_le_bytes([a, b, c, 0])
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn position(name: u32, names: &[u32]) -> Option<u32> {
    names.iter().zip(0..).find(|(other, _)| **other == name).map(|(_, at)| at)
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

/// The year in which a day since 1970 lies.
pub(crate) const fn year_of(day: u64) -> u32 {
    let day = (day as u32).wrapping_add(EPOCH);
    // By the mean length of a year; at most two too small.
    let mut year = ((day as u64).wrapping_mul(400) / 146_097) as u32;
    year = year.wrapping_sub(1);
    while days_before(year.wrapping_add(1), 1).wrapping_add(1) <= day {
        year = year.wrapping_add(1);
    }
    year
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
                assert_eq!((year_of(u64::from(last) - 364), year_of(last.into())), (year, year));
            }
        }
        assert_eq!(days_before(1970, 1) + 1, EPOCH);
        assert_eq!((EPOCH + WEEKDAY_OF_DAY_0) % 7, 3, "1 January 1970 was a Thursday");
    }
}

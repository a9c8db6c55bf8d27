//! The date that nearly every server writes, read by the word: `Sun, 06 Nov 1994 08:49:37 GMT`.
//!
//! It reads less than [`http_date`](crate::http_date) and says nothing of what it does not read: that is then read by its
//! form. The component, of which every byte is shipped to every host, does without.

use crate::{
    days::{EPOCH, MONTHS, SHORT_NAME, WEEKDAY_OF_DAY_0, WEEKDAYS, days_before, month_length},
    time::UnixMillis,
    word::{Word, pairs},
};

/// The moment; `None` for what is no IMF-fixdate, for a leap day and a leap second, and before 1970.
#[inline(always)]
pub(crate) fn read(text: &[u8]) -> Option<UnixMillis> {
    const DAY: Word = Word::new(b"___, 00 ");
    const YEAR: Word = Word::new(b"___ 0000");
    const TIME: Word = Word::new(b" 00:00:0");
    /// The last eight bytes, which begin within the time.
    const END: Word = Word::new(b"_:00 GMT");
    let text: &[u8; 29] = text.try_into().ok()?;
    let (([date, month, time], _), end) = (text.as_chunks(), text.last_chunk()?) else { return None };
    let [date, month, time, end] = [*date, *month, *time, *end].map(u64::from_le_bytes);
    if DAY.unlike(date) | YEAR.unlike(month) | TIME.unlike(time) | END.unlike(end) != 0 {
        return None;
    }
    let [_, _, second, _, _, day, ..] = pairs(END.values(end) | DAY.values(date));
    let [.., century, _, year, _] = pairs(YEAR.values(month));
    let [_, hour, _, _, minute, ..] = pairs(TIME.values(time));
    let month = Month::named(name(month))?;
    let [day, century, year] = [day, century, year].map(u32::from);
    if !(1..=month.length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // 36,524 days a century and 365 a year, and one more for each fourth of either.
    let years = century.wrapping_mul(36_524).wrapping_add(century / 4);
    let years = years.wrapping_add(year.wrapping_mul(365)).wrapping_add(year / 4);
    let leaps = if year == 0 { century % 4 == 0 } else { year % 4 == 0 };
    // That of this year is among them, though it may be to come.
    let to_come = u32::from(leaps && month.is_before_leap_day);
    let day = years.wrapping_add(month.days).wrapping_add(day).wrapping_sub(to_come);
    if (*WEEKDAYS.get(weekday(day))? & SHORT_NAME) as u32 != name(date) {
        return None;
    }
    let minutes = u32::from(hour).wrapping_mul(60).wrapping_add(minute.into());
    let seconds = minutes.wrapping_mul(60).wrapping_add(second.into());
    let days = u64::from(day.checked_sub(EPOCH)?).wrapping_mul(86_400_000);
    // Before the year 10000, which begins within 2^48 ms.
    Some(UnixMillis::from_bits(days.wrapping_add(u64::from(seconds).wrapping_mul(1_000))))
}

/// The first three letters, the first one lowest.
const fn name(text: u64) -> u32 {
    text as u32 & 0x00ff_ffff
}

/// The place of a day's weekday: a remainder by seven, told by how far into its week a day is, in parts of 2^32.
const fn weekday(day: u32) -> usize {
    // Rounded up; within the first 2^32 / 3 days that does not add up to a whole one.
    const DAY: u32 = u32::MAX / 7 + 1;
    let part = day.wrapping_add(WEEKDAY_OF_DAY_0).wrapping_mul(DAY);
    ((part as u64).wrapping_mul(7) >> 32) as usize
}

/// A month of a year without a leap day.
#[derive(Clone, Copy)]
struct Month {
    name: u32,
    /// From 1 March on, modulo 2^32.
    days: u32,
    length: u32,
    is_before_leap_day: bool,
}

impl Month {
    /// Each at the place that its name tells.
    const BY_NAME: [Self; 16] = {
        let mut table = [Self { name: 0, days: 0, length: 0, is_before_leap_day: false }; 16];
        let (mut number, mut names) = (1, MONTHS.as_slice());
        while let [name, rest @ ..] = names {
            let days = days_before(2_001, number).wrapping_sub(days_before(2_001, 3)).wrapping_sub(1);
            let (length, is_before_leap_day) = (month_length(2_001, number), number < 3);
            if let Some((_, places)) = table.split_at_mut_checked(Self::place(*name))
                && let [place, ..] = places
            {
                *place = Self { name: *name, days, length, is_before_leap_day };
            }
            (number, names) = (number.wrapping_add(1), rest);
        }
        table
    };

    const fn place(name: u32) -> usize {
        (name.wrapping_mul(61) >> 15 & 15) as usize
    }

    #[inline(always)]
    fn named(name: u32) -> Option<&'static Self> {
        Self::BY_NAME.get(Self::place(name)).filter(|month| month.name == name)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::format;

    use super::*;
    use crate::http_date::{self, Calendar, DateRules};

    fn by_form(text: &[u8]) -> Option<UnixMillis> {
        http_date::read(text, &Calendar::new(DateRules::default(), None))
            .ok()
            .filter(|second| *second >= 0)
            .map(UnixMillis::at_second)
    }

    #[test]
    fn every_changed_byte_is_read_as_by_the_form() {
        for date in [b"Sun, 06 Nov 1994 08:49:37 GMT", b"Wed, 31 Jan 2024 23:59:59 GMT"] {
            assert!(read(date).is_some());
            for (at, byte) in (0..date.len()).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
                let mut changed = *date;
                changed[at] = byte;
                assert_eq!(read(&changed), by_form(&changed), "{byte} at {at}");
            }
            assert!((0..date.len()).all(|len| read(&date[..len]).is_none()));
        }
    }

    #[test]
    fn every_day_up_to_the_year_10000_has_the_weekday_of_its_remainder() {
        for day in 0..days_before(10_000, 3) {
            assert_eq!(weekday(day), ((day + WEEKDAY_OF_DAY_0) % 7) as usize, "day {day}");
        }
    }

    #[test]
    fn every_day_that_is_no_leap_day_is_read_with_its_weekday_and_no_other() {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        for year in (1_895..2_405).chain(9_990..10_000) {
            for (month, day) in names.into_iter().flat_map(|month| (0..=32).map(move |day| (month, day))) {
                for weekday in weekdays {
                    let text = format!("{weekday}, {day:02} {month} {year} 01:02:03 GMT");
                    let leaps = (month, day) == ("Feb", 29);
                    let expected = by_form(text.as_bytes()).filter(|_| !leaps);
                    assert_eq!(read(text.as_bytes()), expected, "{text}");
                }
            }
        }
    }
}

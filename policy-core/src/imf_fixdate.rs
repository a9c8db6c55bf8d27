//! The date that nearly every server writes, read by the word: `Sun, 06 Nov 1994 08:49:37 GMT`.
//!
//! It reads less than [`http_date`](crate::http_date) and says nothing of what it does not read: that is then read by its
//! form. The component, of which every byte is shipped to every host, does without.

use crate::{
    days::{self, EPOCH, MONTHS, WEEKDAY_OF_DAY_0, WEEKDAYS, days_before, month_length},
    word::Word,
};

/// Seconds since 1970; `None` for what is no IMF-fixdate, for a leap day and a leap second, and before 1900.
#[inline(always)]
pub(crate) fn read(text: &[u8]) -> Option<i64> {
    const DAY: Word = Word::new(b"___, 00 ");
    const YEAR: Word = Word::new(b"___ 0000");
    const TIME: Word = Word::new(b" 00:00:0");
    /// The last eight bytes, which begin within the time.
    const END: Word = Word::new(b"0:00 GMT");
    let text: &[u8; 29] = text.try_into().ok()?;
    let (([date, month, time], _), end) = (text.as_chunks(), text.last_chunk()?) else { return None };
    if DAY.unlike(*date) | YEAR.unlike(*month) | TIME.unlike(*time) | END.unlike(*end) != 0 {
        return None;
    }
    let ([d1, d2, d3, ..], [m1, m2, m3, ..]) = (*date, *month);
    let [.., day, _, _] = DAY.pairs(*date);
    let [.., century, _, year, _] = YEAR.pairs(*month);
    let [_, hour, _, _, minute, ..] = TIME.pairs(*time);
    let [_, _, second, ..] = END.pairs(*end);
    let month = Month::named(days::name([m1, m2, m3]))?;
    let year = u32::from(century).wrapping_mul(100).wrapping_add(year.into());
    if !(1..=month.length).contains(&day.into()) || year < 1_900 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let day = days_before(year.wrapping_sub(month.of_last_year), 3).wrapping_add(month.days).wrapping_add(day.into());
    let weekday = WEEKDAYS.get((day.wrapping_add(WEEKDAY_OF_DAY_0) % 7) as usize)?;
    if *weekday != days::name([d1, d2, d3]) {
        return None;
    }
    let minutes = u32::from(hour).wrapping_mul(60).wrapping_add(minute.into());
    let seconds = minutes.wrapping_mul(60).wrapping_add(second.into());
    Some(i64::from(day).wrapping_sub(EPOCH.into()).wrapping_mul(86_400).wrapping_add(seconds.into()))
}

/// A month of a year that begins in March.
#[derive(Clone, Copy)]
struct Month {
    name: u32,
    /// From the beginning of that year.
    days: u32,
    /// In a year without a leap day.
    length: u32,
    /// 1 where that year has the number of the calendar year before.
    of_last_year: u32,
}

impl Month {
    /// Each at the place that its name tells.
    const BY_NAME: [Self; 16] = {
        let mut table = [Self { name: 0, days: 0, length: 0, of_last_year: 0 }; 16];
        let (mut number, mut names) = (1, MONTHS.as_slice());
        while let [name, rest @ ..] = names {
            let of_last_year = (number < 3) as u32;
            let days = days_before(2_001_u32.wrapping_add(of_last_year), number).wrapping_sub(days_before(2_001, 3));
            let month = Self { name: *name, days, length: month_length(2_001, number), of_last_year };
            if let Some((_, places)) = table.split_at_mut_checked(Self::place(*name))
                && let [place, ..] = places
            {
                *place = month;
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

    fn by_form(text: &[u8]) -> Option<i64> {
        http_date::read(text, &Calendar { rules: DateRules::default(), now: None }).ok()
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

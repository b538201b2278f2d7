// CalendarTime: parses a date and time in ISO 8601 format.

import POSIX

/// A point in time in the form `2026-11-24T17:05:00.5Z`. A time without a time zone (`Z`, `+01:00`)
/// is a local time. Seconds are optional.
struct CalendarTime {
    /// The seconds since 1970.
    let seconds: Double

    /// Parses a time; nil if the text is not a valid time.
    init?(_ text: String) {
        var rest = Substring(text)
        var parts = tm()
        guard let year = Self.number(of: 4, in: &rest, before: "-"),
            let month = Self.number(of: 2, in: &rest, before: "-"), 1...12 ~= month,
            let day = Self.number(of: 2, in: &rest, before: "T"),
            1...Self.days(in: month, of: year) ~= day,
            let hour = Self.number(of: 2, in: &rest, before: ":"), hour < 24,
            let minute = Self.number(of: 2, in: &rest), minute < 60,
            let second = Self.second(&rest), second < 60
        else { return nil }
        parts.tm_year = Int32(year - 1900)
        (parts.tm_mon, parts.tm_mday) = (Int32(month - 1), Int32(day))
        (parts.tm_hour, parts.tm_min) = (Int32(hour), Int32(minute))
        if rest.isEmpty {
            parts.tm_isdst = -1
            seconds = Double(mktime(&parts)) + second
        } else {
            guard let offset = Self.offset(rest) else { return nil }
            seconds = Double(timegm(&parts)) + second - Double(offset)
        }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Removes and returns a number with a fixed count of digits, and removes the following
    /// character if one is required.
    private static func number(
        of count: Int, in rest: inout Substring, before end: Character? = nil
    ) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        guard let end else { return Int(digits) }
        guard rest.popFirst() == end else { return nil }
        return Int(digits)
    }

    /// Removes and returns the seconds with their fraction; 0 if the seconds are omitted.
    private static func second(_ rest: inout Substring) -> Double? {
        guard rest.first == ":" else { return 0 }
        rest = rest.dropFirst()
        guard let whole = number(of: 2, in: &rest) else { return nil }
        guard rest.first == "." else { return Double(whole) }
        let fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard !fraction.isEmpty else { return nil }
        rest = rest.dropFirst(1 + fraction.count)
        return Double("\(whole).\(fraction)")
    }

    /// Returns the offset of a time zone from UTC in seconds.
    private static func offset(_ zone: Substring) -> Int? {
        guard zone != "Z" else { return 0 }
        var rest = zone.dropFirst()
        guard ["+", "-"].contains(zone.first), let hours = number(of: 2, in: &rest, before: ":"),
            let minutes = number(of: 2, in: &rest), rest.isEmpty, hours < 24, minutes < 60
        else { return nil }
        return (zone.first == "-" ? -60 : 60) * (hours * 60 + minutes)
    }
}

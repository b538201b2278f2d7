// QuietHours: the hours of the day in which the user wants haptics to be muted.

import Foundation

/// The hours of every day, in local time, during which haptics are muted. The hours may extend past
/// midnight.
public struct QuietHours: Sendable, Hashable, CustomStringConvertible {
    /// The minute of the day at which the hours begin, 0..<1,440.
    public let start: Int
    /// The minute of the day at which the hours end, 0..<1,440.
    public let end: Int

    /// Parses hours as they are written in the settings file, for example `22:00-07:00`. Returns
    /// nil for any other text, or if both times are equal.
    public init?(_ text: String) {
        let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let start = times[0], let end = times[1], start != end else {
            return nil
        }
        (self.start, self.end) = (start, end)
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(isDigit) }),
            let hour = UInt(parts[0]), let minute = UInt(parts[1]), hour < 24, minute < 60
        else { return nil }
        return Int(hour * 60 + minute)
    }

    private static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character }

    /// The hours as they are written in the settings file.
    public var description: String {
        [start, end].map { String(format: "%02d:%02d", $0 / 60, $0 % 60) }.joined(separator: "-")
    }

    /// Returns whether the local time of day is within the hours. When clocks are set back, both
    /// occurrences of the repeated hour count.
    package func contains(_ date: Date, in calendar: Calendar) -> Bool {
        let time = calendar.dateComponents([.hour, .minute], from: date)
        let minute = time.hour! * 60 + time.minute!
        return start < end ? start..<end ~= minute : minute >= start || minute < end
    }

    /// Returns the first time after a date at which the hours begin or end.
    package func nextChange(after date: Date, in calendar: Calendar) -> Date? {
        let isQuiet = contains(date, in: calendar)
        var times: [Date] = []
        for minute in [start, end] {
            for repeated in [Calendar.RepeatedTimePolicy.first, .last] {
                times += [
                    calendar.nextDate(
                        after: date,
                        matching: DateComponents(hour: minute / 60, minute: minute % 60, second: 0),
                        matchingPolicy: .nextTime, repeatedTimePolicy: repeated)
                ].compactMap { $0 }
            }
        }
        // When clocks are set forward or back, the quiet hours may begin or end at that moment,
        // although the local time does not pass through their limits.
        times += [calendar.timeZone.nextDaylightSavingTimeTransition(after: date)].compactMap { $0 }
        return times.sorted().first { $0 > date && contains($0, in: calendar) != isQuiet }
    }
}

// EffectiveHaptics: the combined effect of the user's settings and silence at one time.

import Foundation

/// The effect of the user's settings at one time: whether haptics are felt, and the gain that
/// applies to them.
public struct EffectiveHaptics: Sendable, Hashable {
    /// A reason why haptics are not felt.
    public enum Unfelt: String, Sendable, Hashable, CaseIterable {
        /// The user has turned haptics off.
        case off
        /// The time is within the user's quiet hours.
        case quietHours = "quiet"
        /// A program of the user requests silence (``HapticSilence``).
        case silence
        /// The user's gain is 0.
        case gain
    }

    /// The first applicable reason why haptics are not felt, in the order of the cases; nil if
    /// haptics are felt.
    public var unfelt: Unfelt?
    /// The gain for all haptic output, 0...1.
    public var gain: Double
    /// The next time at which quiet hours begin or end; nil if there are no quiet hours. Changes to
    /// the settings and requests for silence cannot be predicted; ``SettingsWatch`` detects them.
    public var nextChange: Date?

    /// True if haptics are felt.
    public var isFelt: Bool { unfelt == nil }

    /// The settings that a board applies at this time.
    public var settings: HapticSettings {
        var settings = HapticSettings()
        settings.isOn = isFelt || unfelt == .gain
        settings.gain = gain
        return settings
    }
}

extension HapticSettings {
    /// Returns the effect of the settings at a time.
    ///
    /// - Parameters:
    ///   - date: the time.
    ///   - calendar: the calendar whose time zone applies to quiet hours.
    ///   - isSilent: true if a program requests silence.
    public func effective(
        at date: Date, in calendar: Calendar = .autoupdatingCurrent,
        isSilent: Bool = HapticSilence.isAsked
    ) -> EffectiveHaptics {
        let isQuiet = quietHours?.contains(date, in: calendar) == true
        let unfelt: EffectiveHaptics.Unfelt? =
            if !isOn {
                .off
            } else if isQuiet {
                .quietHours
            } else if isSilent {
                .silence
            } else if gain == 0 {
                .gain
            } else {
                nil
            }
        return EffectiveHaptics(
            unfelt: unfelt, gain: gain,
            nextChange: quietHours?.nextChange(after: date, in: calendar))
    }
}

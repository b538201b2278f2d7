// EffectiveHaptics: what the user's settings and silence come to at one time.

import Foundation

/// The effect of the user's settings at one time: whether anything is felt, and how strongly.
public struct EffectiveHaptics: Sendable, Hashable {
    /// A reason why nothing is felt.
    public enum Unfelt: String, Sendable, Hashable, CaseIterable {
        /// The user has turned haptics off.
        case off
        /// The time lies in the user's quiet hours.
        case quietHours = "quiet"
        /// A program of the user asks for silence (``HapticSilence``).
        case silence
        /// The user's gain is 0.
        case gain
    }

    /// The first of the reasons why nothing is felt, in their order; nil if haptics are felt.
    public var unfelt: Unfelt?
    /// The factor by which everything that is felt is weakened, 0...1.
    public var gain: Double
    /// The next time at which quiet hours begin or are over; nil if there are none. Changes of the
    /// settings and silence are not known in advance: ``SettingsWatch`` notices them.
    public var nextChange: Date?

    /// True if anything is felt.
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
    ///   - calendar: the calendar, whose time zone quiet hours count in.
    ///   - isSilent: whether a program asks for silence.
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

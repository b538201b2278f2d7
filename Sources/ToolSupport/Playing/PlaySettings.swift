// PlaySettings: the user's settings during a command, including changes.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts

/// Combines the user's settings with the options of a command, and immediately applies changes to
/// the settings on the boards of the command.
package final class PlaySettings {
    private let isMuted: Bool
    private let gain: Double?
    private var watch: SettingsWatch
    private var nextCheckAt: HostTime = 0
    /// True if haptics have been felt since the start of the last pattern.
    private var wasFelt = false
    /// The last reason why no haptics were felt since the start of the last pattern; nil if haptics
    /// were felt all the time.
    private var interruption: Unfelt?

    /// Reads the user's settings. Throws `ToolError` if the settings file is invalid.
    ///
    /// - Parameters:
    ///   - isMuted: true if patterns are played without driving actuators.
    ///   - gain: the gain of the command, which the user's gain limits; nil to use the user's gain.
    package init(isMuted: Bool, gain: Double?) throws(ToolError) {
        (self.isMuted, self.gain) = (isMuted, gain)
        do {
            watch = try SettingsWatch()
        } catch {
            throw ToolError(error)
        }
    }

    /// The settings that apply to a board.
    package var settings: HapticSettings {
        var settings = watch.present.settings
        settings.isOn = settings.isOn && !isMuted
        settings.gain = min(gain ?? 1, settings.gain)
        return settings
    }

    /// The gain that the user has set.
    private var userGain: Double { watch.present.gain }

    /// True if the gain of the command exceeds the user's gain and is therefore limited.
    package var exceedsUserGain: Bool { gain.map { $0 > userGain } ?? false }

    /// Returns the gain to set on an engine so that the total gain is `gain` or, if `gain` is nil,
    /// the user's gain. The engine multiplies the returned value by the user's gain.
    package func engineGain(for gain: Double?) -> Double {
        guard let gain, userGain > 0 else { return 1 }
        return min(1, gain / userGain)
    }

    /// The current total gain; 0 if nothing is felt.
    package var effectiveGain: Double { settings.isOn ? settings.gain : 0 }

    /// The reason why nothing is currently felt; nil if haptics are felt.
    package var present: Unfelt? {
        if let reason = watch.present.unfelt, reason != .gain { return .user(reason) }
        if isMuted { return .muted }
        return settings.gain == 0 ? .user(.gain) : nil
    }

    /// The reason why no part of a pattern was felt; nil if at least a part was felt.
    package var unfelt: Unfelt? { wasFelt ? nil : present }

    /// The reason why a part of a pattern was not felt; nil if all or nothing was felt.
    package var partlyUnfelt: Unfelt? { wasFelt ? interruption : nil }

    /// Records the start of a pattern.
    package func begin() {
        wasFelt = present == nil
        interruption = present
    }

    /// Applies changes to the settings on the boards during playback. This method must be called at
    /// least every 20 ms.
    ///
    /// - Parameter remark: a closure that is called with a message when haptics are no longer felt,
    ///   or are felt again.
    package func follow(on boards: [HapticBoard], _ remark: (String) -> Void) {
        let now = Link.now()
        guard now >= nextCheckAt else { return }
        nextCheckAt = now + Microseconds(SettingsWatch.interval)
        let (before, refusal) = ((settings, present), watch.refusal)
        let change = watch.change()
        if let refused = watch.refusal, refused != refusal {
            remark("\(refused); until the file is fixed, the previous settings apply")
        }
        guard change != nil, before != (settings, present) else { return }
        for board in boards { board.change(to: settings) }
        wasFelt = wasFelt || present == nil
        interruption = present ?? interruption
        guard before.1 != present else { return }
        let silence = present.map { "nothing is felt from now on: \($0.text)" }
        remark(silence ?? "haptics are felt again")
    }
}

// PlaySettings: the settings with which a command plays, also where they change while it does.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts

/// The user's settings and the options of a command, which take effect on its boards at once.
final class PlaySettings {
    private let isMuted: Bool
    private let gain: Double?
    private var watch: SettingsWatch
    private var nextLookAt: HostTime = 0
    /// True if anything has been felt since the last pattern began.
    private var wasFelt = false
    /// The last reason why nothing was felt since then; nil if everything was.
    private var interruption: Unfelt?

    /// Reads the user's settings. Throws `ToolError` if their file is refused.
    ///
    /// - Parameters:
    ///   - isMuted: whether the command plays without driving actuators.
    ///   - gain: the gain of the command, which the user's limits; nil for the user's.
    init(isMuted: Bool, gain: Double?) throws(ToolError) {
        (self.isMuted, self.gain) = (isMuted, gain)
        do {
            watch = try SettingsWatch()
        } catch {
            throw ToolError(error)
        }
    }

    /// The settings for a board.
    var settings: HapticSettings {
        var settings = watch.present.settings
        settings.isOn = settings.isOn && !isMuted
        settings.gain = min(gain ?? 1, settings.gain)
        return settings
    }

    /// The gain that the user has set.
    private var userGain: Double { watch.present.gain }

    /// True if the command asks for more than the user's gain, which limits it.
    var exceedsUserGain: Bool { gain.map { $0 > userGain } ?? false }

    /// Returns the factor by which an engine, which heeds the user's gain, weakens what plays at a
    /// gain of its own; nil stands for the user's.
    func share(of gain: Double?) -> Double {
        guard let gain, userGain > 0 else { return 1 }
        return min(1, gain / userGain)
    }

    /// The factor by which patterns are weakened at present; 0 if nothing is felt.
    var effectiveGain: Double { settings.isOn ? settings.gain : 0 }

    /// The reason why nothing is felt at present; nil if it is.
    var present: Unfelt? {
        if let reason = watch.present.unfelt, reason != .gain { return .user(reason) }
        if isMuted { return .muted }
        return settings.gain == 0 ? .user(.gain) : nil
    }

    /// The reason why nothing of a pattern was felt; nil if a part of it was.
    var unfelt: Unfelt? { wasFelt ? nil : present }

    /// The reason why a part of a pattern was not felt; nil if all of it was, or nothing.
    var partlyUnfelt: Unfelt? { wasFelt ? interruption : nil }

    /// Notes that a pattern begins.
    func begin() {
        wasFelt = present == nil
        interruption = present
    }

    /// Applies changes to boards while they play. To be called at least every 20 ms.
    ///
    /// - Parameter remark: says why nothing is felt any more, or that it is again.
    func follow(on boards: [HapticBoard], _ remark: (String) -> Void) {
        let now = Link.now()
        guard now >= nextLookAt else { return }
        nextLookAt = now + Microseconds(SettingsWatch.interval)
        let (before, refusal) = ((settings, present), watch.refusal)
        let change = watch.change()
        if let refused = watch.refusal, refused != refusal {
            remark("\(refused); until it is mended, the settings before it hold")
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

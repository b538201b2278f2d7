// SoundPosition: the position of a sound device in host time. It performs no I/O and has no clock.

import BridgeLink

/// The host time up to which frames have been rendered for a sound device.
struct SoundPosition {
    /// The host time at which the device was opened.
    var openedAt: HostTime = 0
    /// The host time up to which frames have been rendered; nil before the first frame.
    private(set) var rendered: HostTime?

    /// The time until a stream knows the playback time of its frames, in microseconds.
    private static let settlingTime: Microseconds = 400_000
    /// The minimum time between the last rendered frame and the start of a pattern, in
    /// microseconds: one block.
    private static let lead: Microseconds = 10_000

    init(openedAt: HostTime = 0) { self.openedAt = openedAt }

    /// Returns the time of the first frame that has not been rendered, or the current time if that
    /// is later.
    func next(after now: HostTime) -> HostTime { max(now, rendered ?? now) }

    /// Returns the earliest host time at which a pattern that is requested now can begin.
    func earliestStart(at now: HostTime) -> HostTime {
        guard let rendered else {
            return max(now + Self.settlingTime / 2, openedAt + Self.settlingTime)
        }
        return max(now, rendered + Self.lead)
    }

    /// Advances to the end of a window. Returns the interval since the previous window.
    mutating func advance(to window: SoundWindow) -> Range<HostTime> {
        let end = HostTime(microseconds: Int64(window.end.rounded(.up)))
        let start = rendered ?? HostTime(microseconds: Int64(window.start.rounded(.up)))
        rendered = max(start, end)
        return start..<max(start, end)
    }
}

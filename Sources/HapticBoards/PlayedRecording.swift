// PlayedRecording: the acceleration that was recorded while a pattern was played.

import BridgeLink

/// The acceleration that a board has recorded while it played a stream.
public struct PlayedRecording: Sendable {
    /// The recorded acceleration. Its times are those of the device's clock.
    public var acceleration: RecordedAcceleration
    /// The result of the playback.
    public var playing: HapticBoard.PlaybackSummary
    /// The device time of tick 0 of the stream, in microseconds.
    public var start: UInt32
    /// The number of microseconds on the device's clock per microsecond of the stream.
    public var clockRate: Double

    package init(
        acceleration: RecordedAcceleration, playing: HapticBoard.PlaybackSummary, start: UInt32,
        clockRate: Double
    ) {
        self.acceleration = acceleration
        self.playing = playing
        self.start = start
        self.clockRate = clockRate
    }

    /// The recorded samples, with their times in the stream: the microseconds since tick 0. The
    /// times of the first samples, which were taken before the start, are negative.
    public var samples: [RecordedAcceleration.Sample] {
        acceleration.samples(since: start, rate: clockRate)
    }
}

// Recordings of the board's accelerometer (SPEC 11), alone and during a playback.

import BridgeLink
import HapticCompiler
import SerialPorts

extension HapticBoard {
    /// The time at rest that is recorded before a stream is started, in microseconds.
    private static let restTime: Microseconds = 40_000

    /// Returns the kind of the board's accelerometer.
    ///
    /// - Throws: `RecordingError` if the board has no accelerometer, and the errors that all methods
    ///   throw.
    public func sensor() throws -> SensorKind {
        do {
            let kind = try recovering { try link.sensor() }.kind
            guard kind != .none else { throw RecordingError.noSensor }
            return kind
        } catch RequestError.rejected(let reject) where reject.code == .unknownMessage {
            throw RecordingError.unsupported
        }
    }

    /// Records the acceleration along an axis, beginning now.
    ///
    /// - Parameters:
    ///   - axis: the axis to record.
    ///   - duration: the minimum length of the recording.
    ///   - isWanted: a closure that is called every few milliseconds. When the closure returns
    ///     false, the recording is ended and `CancellationError` is thrown.
    /// - Throws: `RecordingError`, `CancellationError` and the errors that all methods throw.
    public func record(
        _ axis: SensorAxis = .z, for duration: Duration, while isWanted: () -> Bool = { true }
    ) throws -> RecordedAcceleration {
        try record(axis, for: duration, while: isWanted) {}.acceleration
    }

    /// Records the acceleration along an axis, beginning now, and performs `body` meanwhile. `body`
    /// may use the board. The recording continues after `body` until it has the given length.
    ///
    /// See ``record(_:for:while:)``.
    public func record<Result>(
        _ axis: SensorAxis = .z, for duration: Duration, while isWanted: () -> Bool = { true },
        during body: () throws -> Result
    ) throws -> (acceleration: RecordedAcceleration, result: Result) {
        let recorder = try Recorder(
            sensor(), axis, waitsForStream: false, length: Microseconds(duration))
        return try recorder.record(on: self, while: isWanted, body)
    }

    /// Plays a compiled pattern, and records the acceleration along an axis from before the start
    /// of the stream until after its end.
    ///
    /// - Parameters:
    ///   - axis: the axis to record.
    ///   - pattern: the pattern to play.
    ///   - actuators: the actuators that play the pattern.
    ///   - tail: the minimum time of the recording after the end of the stream.
    ///   - isWanted: a closure that is called every few milliseconds. When the closure returns
    ///     false, all output is stopped, and `CancellationError` is thrown when the actuators are
    ///     at rest.
    /// - Throws: `RecordingError`, `CancellationError` and the errors of ``play(_:on:follow:)``.
    public func record(
        _ axis: SensorAxis = .z, playing pattern: CompiledPattern,
        on actuators: ActuatorMask = ActuatorMask(index: 0),
        tail: Duration = .milliseconds(300), while isWanted: () -> Bool = { true }
    ) throws -> PlayedRecording {
        try record(
            axis, playing: pattern.bytes, tickMicroseconds: Int(pattern.tick),
            length: pattern.renderedDuration, on: actuators, tail: tail, while: isWanted)
    }

    /// Plays event code up to and including END (SPEC 7), and records the acceleration along an axis
    /// from before the start of the stream until after its end. `length` is the time from tick 0 to
    /// END, in microseconds.
    ///
    /// See ``record(_:playing:on:tail:while:)``.
    public func record(
        _ axis: SensorAxis = .z, playing events: [UInt8], tickMicroseconds: Int,
        length: Microseconds, on actuators: ActuatorMask, tail: Duration = .milliseconds(300),
        while isWanted: () -> Bool = { true }
    ) throws -> PlayedRecording {
        let length = Microseconds(shortestLead(on: actuators)) + length + Microseconds(tail)
        let recorder = try Recorder(sensor(), axis, waitsForStream: true, length: length)
        let (acceleration, playing) = try recorder.record(on: self, while: isWanted) {
            try recovering { _ = try link.run(until: Link.now() + Self.restTime) }
            let playing = try play(
                events: events, tickMicroseconds: tickMicroseconds, on: actuators
            ) { _ in isWanted() }
            guard playing.completion == .played else { throw CancellationError() }
            return playing
        }
        guard let start = playing.progress.startTime else {
            throw RecordingError.noSamples(end: acceleration.end)
        }
        return PlayedRecording(
            acceleration: acceleration, playing: playing, start: start,
            clockRate: link.session.clock.rate)
    }
}

/// Makes one recording on a board, and receives its samples.
private final class Recorder {
    private let sensor: SensorKind
    private let axis: SensorAxis
    private let waitsForStream: Bool
    /// Half of the number of samples.
    private let pairs: UInt16
    private var recording: SensorRecording
    /// The state in which the recording has ended; nil until it has ended.
    private var end: RecordingState?

    /// The time that the device has for sending the last samples after the end of a recording, in
    /// microseconds.
    private static let sendTime: Microseconds = 100_000
    /// The interval at which the state of the recording is queried, in microseconds.
    private static let askInterval: Microseconds = 20_000
    /// The time that a recording may take in addition to its length, in microseconds.
    private static let patience: Microseconds = 1_000_000

    init(
        _ sensor: SensorKind, _ axis: SensorAxis, waitsForStream: Bool, length: Microseconds
    ) throws(RecordingError) {
        guard let properties = SensorProperties(of: sensor) else { throw .unknownSensor(sensor) }
        (self.sensor, self.axis, self.waitsForStream) = (sensor, axis, waitsForStream)
        recording = SensorRecording(of: properties)
        let kept = Double(waitsForStream ? properties.kept : 0)
        let fastest = properties.rate * (1 + SensorProperties.clockTolerance)
        let count = ((length.seconds * fastest + kept) / 2).rounded(.up)
        guard let pairs = UInt16(exactly: max(1, count)) else {
            let most = (2 * Double(UInt16.max) - kept) / fastest
            throw .tooLong(most: Microseconds(seconds: most))
        }
        self.pairs = pairs
    }

    private var count: Int { 2 * Int(pairs) }

    /// Starts the recording, performs `body`, and waits until all samples have been received.
    func record<Result>(
        on board: HapticBoard, while isWanted: () -> Bool, _ body: () throws -> Result
    ) throws -> (acceleration: RecordedAcceleration, result: Result) {
        let observer = board.link.observer
        board.link.observer = { [self] event in
            observer?(event)
            if case .samples(let samples) = event { recording.append(samples) }
        }
        defer { board.link.observer = observer }
        try start(on: board)
        do {
            let result = try body()
            try waitForEnd(on: board, while: isWanted)
            guard let end,
                let acceleration = RecordedAcceleration(
                    recording, of: sensor, axis, end: end, expected: count)
            else { throw RecordingError.noSamples(end: end) }
            return (acceleration, result)
        } catch {
            // A recording that continues would prevent the next one.
            try? board.link.carryOut(.record(Record(pairs: 0)))
            throw error
        }
    }

    /// Starts the recording. The device rejects it while it switches off the accelerometer after an
    /// earlier recording.
    private func start(on board: HapticBoard) throws {
        let record = Record(axis: axis.number, waitsForStream: waitsForStream, pairs: pairs)
        let deadline = Link.now() + Self.sendTime
        while true {
            do {
                return try board.recovering { try board.link.carryOut(.record(record)) }
            } catch RequestError.rejected(let reject)
                where reject.code == .inUse && Link.now() < deadline
            {
                _ = try board.recovering {
                    try board.link.run(until: Link.now() + Self.askInterval)
                }
            }
        }
    }

    /// Waits until the recording has ended and all of its samples have been received.
    private func waitForEnd(on board: HapticBoard, while isWanted: () -> Bool) throws {
        let slowest = recording.properties.rate * (1 - SensorProperties.clockTolerance)
        let length = Microseconds(seconds: Double(count) / slowest)
        let deadline = Link.now() + length + Self.patience
        while end == nil, Link.now() < deadline {
            guard isWanted() else { throw CancellationError() }
            try board.recovering {
                try board.link.run(until: Link.now() + Self.askInterval)
                let state = try board.link.sensor().recording
                end = state.isOver ? state : nil
            }
        }
        // The last samples may follow the answer.
        guard recording.next < count else { return }
        _ = try board.recovering {
            try board.link.run(until: Link.now() + Self.sendTime) { _ in recording.next == count }
        }
    }
}

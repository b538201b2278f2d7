// Link+Requests: complete requests over a link. Each request is one blocking call.

import BridgeLink
import CBridgeProtocol

extension Link {
    /// Repeats HELLO until the device answers. Throws `LinkEnd` or `TransportError`.
    ///
    /// - Parameter isWanted: a closure that is called every 20 ms. If the closure returns false,
    ///   the method throws `CancellationError`.
    public func connect(while isWanted: () -> Bool = { true }) throws -> Welcome {
        var welcome: Welcome?
        while welcome == nil {
            guard isWanted() else { throw CancellationError() }
            try run(until: Self.now() + Self.followInterval) { event in
                if case .connected(let answer) = event { welcome = answer }
                return welcome != nil
            }
        }
        return welcome!
    }

    /// Makes the device store an actuator's configuration, and waits until the stored configuration
    /// is certain to survive a loss of power (SPEC 4.2, STORAGE). Throws `RequestError`, `LinkEnd`
    /// or `TransportError`.
    public func save(_ actuator: UInt8) throws {
        try store(.save(actuator: actuator))
    }

    /// Makes the device lock the limits of an actuator's configuration permanently, and waits until
    /// the stored lock is certain to survive a loss of power (SPEC 4.4, LOCK). Throws
    /// `RequestError`, `LinkEnd` or `TransportError`.
    public func lock(_ actuator: UInt8) throws {
        try store(.lock(actuator: actuator))
    }

    private func store(_ command: Command) throws {
        try carryOut(command)
        try run(until: Link.now() + Int64(BRIDGE_SAVE_MAX_US)) { _ in false }
    }

    /// Sends a command and waits for its outcome. Throws `RequestError`, `LinkEnd` or
    /// `TransportError`.
    public func carryOut(_ command: Command) throws {
        try checkIsIdle()
        let request = withSession { session, _ in session.send(command) }
        let isDone = try run(until: Self.now() + Self.commandTimeout) { event in
            try Self.throwFailure(of: request, in: event)
            return event == .carriedOut(request)
        }
        if !isDone { throw RequestError.unanswered }
    }

    /// The timeout of a command. Because a command is repeated until it is acknowledged, it is
    /// transferred within this time even on the worst line.
    private static var commandTimeout: Microseconds { .milliseconds(5_000) }

    /// Queries STATUS and returns the answer. Throws `RequestError`, `LinkEnd` or `TransportError`.
    public func status() throws -> Status {
        try ask(.status) { event, request in
            if case .status(let status, request) = event { status } else { nil }
        }
    }

    /// Queries the state of a stream and returns the answer. Throws the same errors as `status()`.
    public func stream(_ index: UInt8) throws -> StreamStatus {
        try ask(.stream(index)) { event, request in
            if case .stream(let stream, request) = event { stream } else { nil }
        }
    }

    /// Queries the state of an actuator and returns the answer. Throws the same errors as
    /// `status()`.
    public func actuator(_ index: UInt8) throws -> ActuatorStatus {
        try ask(.actuator(index)) { event, request in
            if case .actuator(let actuator, request) = event { actuator } else { nil }
        }
    }

    /// Queries the configuration of an actuator and returns the answer. Throws the same errors as
    /// `status()`.
    public func configuration(ofActuator index: UInt8) throws -> ActuatorConfiguration {
        try ask(.configuration(actuator: index)) { event, request in
            if case .configuration(let answer, request) = event {
                answer.configuration
            } else {
                nil
            }
        }
    }

    /// Reads the firmware's image from the program memory of the board. Returns an empty array if
    /// the board cannot read its image. Throws the same errors as `status()`.
    ///
    /// - Parameter isWanted: a closure that is called before each block. If the closure returns
    ///   false, the method throws `CancellationError`.
    public func firmware(while isWanted: () -> Bool = { true }) throws -> [UInt8] {
        var image: [UInt8] = []
        for number in UInt16.min...UInt16.max {
            guard isWanted() else { throw CancellationError() }
            let block = try ask(.firmware(block: number)) { event, request in
                if case .firmware(let block, request) = event { block } else { nil }
            }
            image += block.bytes
            if block.bytes.count < FirmwareBlock.length { break }
        }
        return image
    }

    /// Returns whether a chip on the I2C bus acknowledges a 7-bit address from 0x08 to 0x77. All
    /// actuators must be at rest. Throws the same errors as `status()`.
    public func probe(_ address: UInt8) throws -> Bool {
        try ask(.probe(address: address)) { event, request in
            if case .probed(let answer, request) = event { answer.isAcknowledged } else { nil }
        }
    }

    /// Queries the accelerometer that the device has found, and the state of its recording. Throws
    /// the same errors as `status()`; throws `RequestError.rejected` with `.unknownMessage` if the
    /// firmware does not support accelerometers.
    public func sensor() throws -> SensorState {
        try ask(.sensor) { event, request in
            if case .sensor(let state, request) = event { state } else { nil }
        }
    }

    /// Brings all actuators to rest, and waits until the device has confirmed this. Throws
    /// `TransportError` or `LinkEnd`; throws the `LinkEnd` `silent` if the device does not confirm
    /// within a second.
    public func stop() throws {
        try checkIsIdle()
        let request = withSession { session, _ in session.stop() }
        try run(until: .never) { $0 == .stopped(request) }
    }

    /// Mutes or unmutes actuators immediately. Throws `TransportError` or `LinkEnd`.
    public func mute(_ actuators: ActuatorMask, _ isMuted: Bool) throws {
        try checkIsIdle()
        let request = withSession { session, _ in session.mute(actuators, isMuted) }
        try run(until: .never) { $0 == .muted(request) }
    }

    /// Plays `playback`, from OPEN until its actuators are at rest. After every event, `follow`
    /// receives the playback; `follow` can stop the playback by returning false. Requests made by
    /// `follow` throw `RequestError.playing`. Throws `PlaybackError` or `TransportError`, and
    /// throws `RequestError.playing` if `follow` itself calls `play`.
    @discardableResult
    public func play(_ playback: Playback, follow: (Playback) -> Bool = { _ in true })
        throws -> (completion: Playback.Completion, progress: PlaybackProgress)
    {
        try checkIsIdle()
        isPlaying = true
        defer { isPlaying = false }
        var playback = playback
        var isStopping = false
        withSession { playback.begin(&$0, at: $1) }
        while playback.outcome == nil {
            try carryOn(&playback, until: Self.now() + Self.followInterval)
            if !isStopping, !follow(playback) {
                isStopping = true
                withSession { playback.stop(&$0, at: $1) }
            }
        }
        return (try playback.outcome!.get(), playback.progress)
    }

    /// Runs a playback that has begun. Returns at the host time `limit`, at the playback's
    /// `nextDeadline`, or when the playback has an outcome, whichever comes first.
    public func carryOn(_ playback: inout Playback, until limit: HostTime) throws {
        try run(until: min(playback.nextDeadline ?? limit, limit)) { event in
            withSession { playback.handle(event, &$0, at: $1) }
            return playback.outcome != nil
        }
        withSession { playback.advance(&$0, at: $1) }
        // After a failure, no caller runs the link anymore, so CLOSE must be sent for the stream
        // now.
        if case .failure = playback.outcome { _ = try? run(until: Self.now() + Self.closeTime) }
    }

    private static var closeTime: Microseconds { .milliseconds(10) }

    /// The maximum interval between two calls of `follow`. This interval is also the maximum delay
    /// with which Ctrl-C takes effect.
    private static var followInterval: Microseconds { .milliseconds(20) }

    private func ask<Answer>(_ query: Query, _ pick: (LinkEvent, RequestID?) -> Answer?) throws
        -> Answer
    {
        try checkIsIdle()
        let request = withSession { session, _ in session.ask(query) }
        var answer: Answer?
        try run(until: .never) { event in
            try Self.throwFailure(of: request, in: event)
            answer = pick(event, request)
            return answer != nil
        }
        return answer!
    }

    private func checkIsIdle() throws(RequestError) {
        if isPlaying { throw .playing }
    }

    private static func throwFailure(of request: RequestID, in event: LinkEvent) throws {
        switch event {
        case .rejected(request, let reject): throw RequestError.rejected(reject)
        case .dropped(request), .outcomeUnknown(request): throw RequestError.dropped
        case .unanswered(request): throw RequestError.unanswered
        default: break
        }
    }
}

// HapticBoard: a connected board, and the requests to the board as a whole.

import BridgeLink
import Foundation
import HapticCompiler
import SerialPorts

/// A connected board. The board has one session over one transport, which runs on the calling
/// thread.
///
/// For example:
///
///     let board = try BoardSearch.connect()
///     defer { board.close() }
///     let playing = try board.play(HapticCompiler.compile(pattern))
///     print(playing.progress.latestAtMost, "µs late at most")
///
/// Methods throw `LinkEnd`, `RequestError`, `PlaybackError` or `TransportError`. When a method
/// throws, or the process ends, the board brings its actuators to rest on its own (SPEC 9). After a
/// reset of the board (`LinkEnd.sessionLost`), a new session has already begun when the error is
/// thrown. After the cable was unplugged, ``reconnect(within:while:)`` begins a new session.
public final class HapticBoard {
    /// The link to the board, for requests that no method of this class makes.
    public private(set) var link: Link
    /// The WELCOME message of the board's latest session.
    public private(set) var welcome: Welcome
    /// The user's settings, which limit the haptic output in every session with the board.
    public private(set) var settings = HapticSettings()

    /// The polling interval while a state is expected to change, in microseconds.
    package static let askInterval: Microseconds = 5_000
    /// The maximum duration of the set-up or braking of an actuator, in microseconds, with a
    /// margin.
    package static let settleTimeout: Microseconds = 1_000_000

    /// Connects over an open transport. Any earlier session of the board ends.
    ///
    /// - Parameters:
    ///   - transport: the transport that leads to the board.
    ///   - timing: the time limits of the link.
    ///   - isWanted: a closure that is called repeatedly. When the closure returns false,
    ///     `CancellationError` is thrown.
    public convenience init(
        _ transport: any Transport, timing: LinkTiming = .standard,
        while isWanted: () -> Bool = { true }
    ) throws {
        let link = Link(transport, timing: timing)
        do {
            self.init(link: link, welcome: try link.connect(while: isWanted))
        } catch {
            link.close()
            throw error
        }
    }

    /// The identity that distinguishes the board's port from other ports; nil if the system does
    /// not list the port.
    private let portIdentity: String?
    /// The system whose ports are searched for the board.
    private let system: PortSystem

    package init(link: Link, welcome: Welcome, system: PortSystem = PortSystem()) {
        self.link = link
        self.welcome = welcome
        self.system = system
        portIdentity = PortList.port(at: link.transport.path, in: system)?.identity
    }

    /// The endpoint at which to search for the board after the connection was lost.
    package var endpoint: BoardEndpoint {
        BoardEndpoint(path: path, identity: portIdentity, system: system)
    }

    /// The path at which the board was found, for example "/dev/ttyACM0".
    public var path: String { link.transport.path }

    /// Returns the faults and counters of the board.
    public func status() throws -> Status { try recovering { try link.status() } }

    /// Returns the state of every actuator, by number.
    public func actuators() throws -> [ActuatorStatus] {
        try recovering { try (0..<welcome.actuators).map { try link.actuator($0) } }
    }

    /// The numbers of the board's actuators.
    public var actuatorMask: ActuatorMask {
        (0..<Int(welcome.actuators)).reduce(into: []) { $0.insert(ActuatorMask(index: $1)) }
    }

    /// Brings every actuator to rest, and returns when all actuators are at rest.
    public func stop() throws {
        try recovering { try link.stop() }
        for actuator in 0..<welcome.actuators {
            try wait(for: actuator) { $0.isSettled && $0.state != .calibrating }
        }
    }

    /// Configures an actuator, and returns when the actuator is at rest with the new configuration.
    ///
    /// - Returns: the status of the actuator, and whether the board has stored the configuration
    ///   permanently.
    @discardableResult
    public func configure(_ actuator: UInt8, _ configuration: ActuatorConfiguration) throws
        -> (status: ActuatorStatus, isSaved: Bool)
    {
        try recovering { try link.carryOut(.configure(configuration, actuator: actuator)) }
        let status = try waitUntilSettled(actuator)
        guard welcome.features.contains(.storage), status.state == .atRest else {
            return (status, false)
        }
        return (status, try save(actuator))
    }

    /// Waits while an actuator is being set up or is coming to rest.
    ///
    /// - Returns: the status of the actuator after the actuator has settled, or the current status
    ///   if the actuator has not settled within 1 s.
    @discardableResult
    public func waitUntilSettled(_ actuator: UInt8) throws -> ActuatorStatus {
        try wait(for: actuator) { $0.isSettled }
    }

    /// Waits until the status of an actuator satisfies a condition, for 1 s at most. Returns the
    /// last status.
    @discardableResult
    private func wait(
        for actuator: UInt8, until isReached: (ActuatorStatus) -> Bool
    ) throws -> ActuatorStatus {
        let deadline = Link.now() + Self.settleTimeout
        while true {
            let status = try recovering { try link.actuator(actuator) }
            if isReached(status) || Link.now() >= deadline { return status }
            try recovering { _ = try link.run(until: Link.now() + Self.askInterval) }
        }
    }

    /// Waits while any actuator is being set up or is coming to rest.
    ///
    /// - Returns: the status of each actuator, by number, as from ``waitUntilSettled(_:)``.
    @discardableResult
    public func waitUntilSettled() throws -> [ActuatorStatus] {
        try (0..<welcome.actuators).map { try waitUntilSettled($0) }
    }

    /// Applies the user's settings as limits on the haptic output. The settings also apply after
    /// ``reconnect(within:while:)``.
    public func apply(_ settings: HapticSettings) throws {
        guard settings != self.settings else { return }
        self.settings = settings
        try sendSettings()
    }

    /// Applies the user's settings as limits on the haptic output without waiting for the board.
    /// The settings can be changed during a playback.
    public func change(to settings: HapticSettings) {
        guard settings != self.settings else { return }
        self.settings = settings
        link.withSession { session, _ in
            session.mute(actuatorMask, !settings.isOn)
            session.send(.gain(gain))
        }
    }

    private func sendSettings() throws {
        try link.carryOut(.gain(gain))
        try link.mute(actuatorMask, !settings.isOn)
    }

    /// The user's gain, which applies to all actuators.
    private var gain: Gain {
        let gain = UInt8((min(max(settings.gain, 0), 1) * 255).rounded())
        return Gain(actuators: actuatorMask, gain: gain)
    }

    // MARK: Resets and disconnection

    /// The timeout for a board that was reset. The timeout is the same as for a board that resets
    /// when its port is opened.
    private static let resetTime = Duration.seconds(4)
    /// The timeout for the first comparison of the clocks, in microseconds.
    private static let clockTime: Microseconds = 1_000_000
    /// The interval between two searches for a missing port, in microseconds.
    private static let checkInterval: Microseconds = 20_000

    /// Begins a new session with the board and compares the clocks again. Events that were queued
    /// earlier are not played; a saved configuration takes effect.
    ///
    /// If the port is missing, the call waits until a port appears at the same path. A link in
    /// `/dev/serial/by-id` leads to the board at any USB socket. A device that appears at the same
    /// path but behind a different adapter is not opened. An adapter without a serial number counts
    /// as a different adapter if it is plugged into a different USB socket.
    /// - Parameters:
    ///   - timeout: the maximum wait for the port.
    ///   - isWanted: a closure that is called repeatedly. When the closure returns false, the
    ///     attempt is abandoned.
    /// - Throws: `LinkEnd` if the board does not answer, the `TransportError` of a port that
    ///   remains missing, or `CancellationError` if the attempt was abandoned.
    public func reconnect(
        within timeout: Duration = .seconds(10), while isWanted: () -> Bool = { true }
    ) throws {
        let deadline = Link.now() + Microseconds(timeout)
        let (eventSignal, frameObserver) = (link.transport.eventSignal, link.frameObserver)
        let observer = link.observer
        while true {
            do {
                link.renew()
                welcome = try link.connect(while: isWanted)
                try link.run(until: min(deadline, Link.now() + Self.clockTime)) { event in
                    if case .clockSampled = event { true } else { false }
                }
                // A new session must apply the same settings, so settings that differ from the
                // defaults are sent again.
                if settings != HapticSettings() { try sendSettings() }
                return
            } catch is TransportError {
                link.close()
                let transport = try reopened(before: deadline, while: isWanted)
                link = Link(transport, timing: link.session.timing)
                link.transport.eventSignal = eventSignal
                link.frameObserver = frameObserver
                link.observer = observer
            }
        }
    }

    private func reopened(
        before deadline: HostTime, while isWanted: () -> Bool
    ) throws -> any Transport {
        while true {
            guard isWanted() else { throw CancellationError() }
            do {
                if let portIdentity, let port = PortList.port(at: path, in: system),
                    port.identity != portIdentity, !port.isBoard
                {
                    throw TransportError.notFound(path: path)
                }
                return try openPort(path)
            } catch {
                guard Link.now() < deadline else { throw error }
                hostClock.sleep(for: Self.checkInterval)
            }
        }
    }

    /// Performs `body`, and begins a new session if `body` throws because the board was reset.
    func recovering<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            recover(from: error)
            throw error
        }
    }

    /// Begins a new session if `error` shows that the board was reset. If the new session cannot
    /// begin, the next request reports the failure.
    package func recover(from error: any Error) {
        switch error {
        case LinkEnd.sessionLost, PlaybackError.link(.sessionLost):
            try? reconnect(within: Self.resetTime)
        default: break
        }
    }

    /// Closes the port. If anything is playing, the board's dead-man timeout brings the actuators
    /// to rest (SPEC 9).
    public func close() { link.close() }
}

extension ActuatorStatus {
    /// True if the actuator is neither being set up nor coming to rest.
    package var isSettled: Bool { state != .starting && state != .comingToRest }
}

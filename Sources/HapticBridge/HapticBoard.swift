// HapticBoard: a connected board, and everything that is asked of it as a whole.

import BridgeLink
import Foundation
import HapticCompiler

/// A board that has answered: one session over one transport, driven by the calling thread.
///
/// For example:
///
///     let board = try BoardSearch.connect()
///     defer { board.close() }
///     let playing = try board.play(HapticCompiler.compile(pattern))
///     print(playing.progress.latestAtMost, "µs late at most")
///
/// Methods throw `LinkEnd`, `RequestError`, `PlaybackError` or `TransportError`. When anything
/// throws, or the process ends, the board brings its actuators to rest by itself (SPEC 9). A board
/// that was reset (`LinkEnd.sessionLost`) has a new session when the error arrives; after a pulled
/// cable ``reconnect(within:while:)`` begins one.
public final class HapticBoard {
    /// The link to it, for requests that have no method here.
    public private(set) var link: Link
    /// What the board said of itself when it answered last.
    public private(set) var welcome: Welcome
    /// What is felt of all that it plays, in every session with it.
    public private(set) var settings = HapticSettings()

    /// How often a state that must change is asked for.
    static let askInterval: Int64 = 5_000
    /// The longest set-up or braking of an actuator, with a margin.
    static let settleTimeout: Int64 = 1_000_000

    /// Connects over an open transport. A session that the board may have had ends.
    ///
    /// - Parameters:
    ///   - transport: where the board is.
    ///   - timing: how long is waited for what.
    ///   - isWanted: asked all the time; once it is false, `CancellationError` is thrown.
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

    /// What tells its port from others; nil if it is none that the system lists.
    private let portIdentity: String?
    /// Where its port is looked up.
    private let system: PortSystem

    init(link: Link, welcome: Welcome, system: PortSystem = PortSystem()) {
        self.link = link
        self.welcome = welcome
        self.system = system
        portIdentity = PortList.port(at: link.transport.path, in: system)?.identity
    }

    /// The place to look for it at when it is gone.
    var place: BoardPlace { BoardPlace(path: path, identity: portIdentity, system: system) }

    /// Where the board was found, for example "/dev/ttyACM0".
    public var path: String { link.transport.path }

    /// Faults and counters of the board.
    public func status() throws -> Status { try recovering { try link.status() } }

    /// The state of every actuator, by number.
    public func actuators() throws -> [ActuatorStatus] {
        try recovering { try (0..<welcome.actuators).map { try link.actuator($0) } }
    }

    /// The numbers of the board's actuators.
    public var actuatorMask: ActuatorMask {
        (0..<Int(welcome.actuators)).reduce(into: []) { $0.insert(ActuatorMask(index: $1)) }
    }

    /// Brings every actuator to rest at once, and returns when each of them is.
    public func stop() throws {
        try recovering { try link.stop() }
        for actuator in 0..<welcome.actuators { try waitUntilSettled(actuator) }
    }

    /// Tells an actuator what it is, and returns when it is at rest with it.
    ///
    /// - Returns: its state, and whether the board remembers the configuration without power.
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
    /// - Returns: its state afterwards; the present one if it has not settled within 1 s.
    @discardableResult
    public func waitUntilSettled(_ actuator: UInt8) throws -> ActuatorStatus {
        let deadline = Link.now() + Self.settleTimeout
        while true {
            let status = try recovering { try link.actuator(actuator) }
            if status.isSettled || Link.now() >= deadline { return status }
            try recovering { _ = try link.run(until: Link.now() + Self.askInterval) }
        }
    }

    /// Has no more felt than the user wants, from now on and in sessions to come.
    public func apply(_ settings: HapticSettings) throws {
        guard settings != self.settings else { return }
        self.settings = settings
        try tellSettings()
    }

    private func tellSettings() throws {
        let gain = UInt8((min(max(settings.gain, 0), 1) * 255).rounded())
        try link.carryOut(.gain(Gain(actuators: actuatorMask, gain: gain)))
        try link.mute(actuatorMask, !settings.isOn)
    }

    // MARK: Resets and pulled cables

    /// How long a board is waited for that was reset: as long as one that resets on open.
    private static let resetTime: Int64 = 4_000_000
    /// How long the first comparison of the clocks is waited for.
    private static let clockTime: Int64 = 1_000_000
    /// How often a port that is gone is looked for.
    private static let lookInterval: TimeInterval = 0.02

    /// Begins a new session with the board and compares the clocks anew. Nothing that was queued
    /// before plays; a saved configuration is in force.
    ///
    /// A port that is gone is waited for at the same path; a link in `/dev/serial/by-id` leads to
    /// the board wherever it is plugged in. What comes at that path behind another adapter is not
    /// opened; one without a serial number is another one at another socket.
    /// - Parameters:
    ///   - timeout: how long the port is waited for, in microseconds.
    ///   - isWanted: asked all the time; once it is false, it is given up.
    /// - Throws: `LinkEnd` if the board does not answer, the `TransportError` of a port that stays away,
    ///   or `CancellationError` if it was given up.
    public func reconnect(
        within timeout: Int64 = 10_000_000, while isWanted: () -> Bool = { true }
    ) throws {
        let deadline = Link.now() + timeout
        let (wakeUp, frameObserver) = (link.transport.wakeUp, link.frameObserver)
        while true {
            do {
                link.renew()
                welcome = try link.connect(while: isWanted)
                try link.run(until: min(deadline, Link.now() + Self.clockTime)) { event in
                    if case .clockSampled = event { true } else { false }
                }
                // A new session changes nothing of what is felt.
                if settings != HapticSettings() { try tellSettings() }
                return
            } catch is TransportError {
                link.close()
                let transport = try reopened(before: deadline, while: isWanted)
                link = Link(transport, timing: link.session.timing)
                link.transport.wakeUp = wakeUp
                link.frameObserver = frameObserver
            }
        }
    }

    private func reopened(
        before deadline: Int64, while isWanted: () -> Bool
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
                Thread.sleep(forTimeInterval: Self.lookInterval)
            }
        }
    }

    /// Begins a new session if `body` finds that the board was reset.
    func recovering<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            recover(from: error)
            throw error
        }
    }

    /// Begins a new session if `error` says that the board was reset. If there is none, whatever is
    /// asked next says so.
    func recover(from error: any Error) {
        switch error {
        case LinkEnd.sessionLost, PlaybackError.link(.sessionLost):
            try? reconnect(within: Self.resetTime)
        default: break
        }
    }

    /// Gives the port back. What plays comes to rest by the board's dead-man (SPEC 9).
    public func close() { link.close() }
}

extension ActuatorStatus {
    /// Whether it is neither being set up nor coming to rest.
    var isSettled: Bool { state != .starting && state != .comingToRest }
}

// ServerMessage: the messages from the process that serves a board to the programs that use the
// board. The article ServerProtocol describes the messages.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

/// A message from the process that serves a board. Each message type uses some of the members.
struct ServerMessage: WireMessage {
    /// The types of the messages.
    enum Kind: String {
        case refused, unknown, alive, clock, output
        case connected, started, failed, finished, reset, lost, suspended, measured, faults, idle
        case surveyed, frames, stopped
    }

    var type: String
    /// The reason for `refused`, which includes advice, or the reason for an error.
    var reason: String?
    /// The error code, as in Core Haptics.
    var code: Int?
    /// The type of a message that this server does not support.
    var message: String?
    /// The time of a clock query, on the clock of the program that sent it, in microseconds.
    var sent: Microseconds?
    /// The time of a clock answer on the server's clock, or the time of a queried output, in
    /// microseconds.
    var time: Microseconds?
    var port: String?
    var identity: String?
    /// The payload of WELCOME (SPEC 4.2) in base64.
    var welcome: Data?
    /// Configurations (SPEC 8) in base64.
    var configurations: [Data]?
    /// The code of the accelerometer (SPEC 11).
    var sensor: UInt8?
    var players: [UInt64]?
    /// The player of an output; nil for the output of all players.
    var player: UInt64?
    var intensity: Float?
    var sharpness: Float?
    /// Payloads of ACTUATOR (SPEC 4.5) in base64.
    var actuators: [Data]?
    /// The latched faults (SPEC 9), or the faults that caused an error.
    var faults: UInt16?
    /// The remedies for an error or for faults, one sentence per element.
    var advice: [String]?
    var bytes: Data?
    var statistics: WireStatistics?

    init(_ kind: Kind) { type = kind.rawValue }

    /// The type; nil for a type that this version does not support.
    var kind: Kind? { Kind(rawValue: type) }

    static func refused(_ reason: String) -> Self {
        var message = Self(.refused)
        message.reason = reason
        return message
    }

    /// Creates the answer to a message of a type that this version does not support.
    static func unknown(_ type: String) -> Self {
        var message = Self(.unknown)
        message.message = type
        return message
    }

    /// Creates the answer to a clock query.
    static func clock(sent: HostTime, at now: HostTime) -> Self {
        var message = Self(.clock)
        (message.sent, message.time) = (sent.microseconds, now.microseconds)
        return message
    }

    /// Creates the answer to an output query. The answer has no intensity if the player does not
    /// play.
    static func output(
        _ output: HapticOutput?, of player: PlayerID?, at time: Microseconds?
    ) -> Self {
        var message = Self(.output)
        (message.player, message.time) = (player?.number, time)
        (message.intensity, message.sharpness) = (output?.intensity, output?.sharpness)
        return message
    }

    /// Creates the message for a report.
    init(of report: EngineReport) {
        func failed(_ kind: Kind, _ error: HapticError) -> Self {
            var message = Self(kind)
            (message.code, message.reason, message.port) =
                (error.code.rawValue, error.reason, error.port)
            if !error.faults.isEmpty { message.faults = error.faults.rawValue }
            if !error.advice.isEmpty { message.advice = error.advice }
            return message
        }
        switch report {
        case .connected(let endpoint):
            self.init(.connected)
            (port, identity) = (endpoint.path, endpoint.identity)
        case .started(let board):
            self.init(.started)
            // A preview has no board, and no server.
            guard let board else { break }
            welcome = Data(Message.welcome(board.welcome).payload)
            actuators = board.actuators.map { Data(Message.actuator($0).payload) }
            configurations = board.configurations.map { Data($0.bytes) }
            sensor = board.sensor?.rawValue
        case .failed(let error): self = failed(.failed, error)
        case .lost(let error): self = failed(.lost, error)
        case .suspended(let error): self = failed(.suspended, error)
        case .finished(let players):
            self.init(.finished)
            self.players = players.map(\.number)
        case .measured(let figures):
            self.init(.measured)
            statistics = WireStatistics(figures)
        case .faults(let faults):
            self.init(.faults)
            self.faults = faults.rawValue
            advice = faults.advice(on: .unknown)
        case .surveyed(let statuses):
            self.init(.surveyed)
            actuators = statuses.map { Data(Message.actuator($0).payload) }
        case .frames(let bytes):
            self.init(.frames)
            self.bytes = bytes
        case .reset: self.init(.reset)
        // Other programs do not need this report, because they are already connected.
        case .unshared: self.init(.alive)
        case .idle: self.init(.idle)
        case .stopped: self.init(.stopped)
        }
    }

    /// Returns the report that the message contains; nil if the message contains no report, or has
    /// a type that this version does not support.
    ///
    /// - Throws: `WireError`, which names the type and the member.
    func report() throws(WireError) -> EngineReport? {
        switch kind {
        case .refused, .unknown, .alive, .clock, .output, nil: return nil
        case .connected:
            return .connected(
                BoardEndpoint(
                    path: try need(\.port, "port"), identity: identity, system: PortSystem()))
        case .started: return .started(try startedBoard())
        case .failed: return .failed(try error())
        case .lost: return .lost(try error())
        case .suspended: return .suspended(try error())
        case .finished:
            return .finished(try need(\.players, "players").map { PlayerID(number: $0) })
        case .measured: return .measured(try need(\.statistics, "statistics").value)
        case .faults: return .faults(Faults(rawValue: try need(\.faults, "faults")))
        case .surveyed:
            return .surveyed(try statuses())
        case .frames: return .frames(try need(\.bytes, "bytes"))
        case .reset: return .reset
        case .idle: return .idle
        case .stopped: return .stopped
        }
    }

    private func startedBoard() throws(WireError) -> StartedBoard {
        guard
            case .welcome(let welcome)? = try? Message(
                type: .welcome, payload: Array(try need(\.welcome, "welcome")))
        else { throw WireError(description: "\(type): an invalid payload of WELCOME") }
        let configurations = try need(\.configurations, "configurations")
        return StartedBoard(
            welcome, try statuses(),
            try configurations.map { bytes throws(WireError) in
                guard let configuration = try? ActuatorConfiguration(bytes: Array(bytes)) else {
                    throw WireError(description: "\(type): an invalid actuator configuration")
                }
                return configuration
            }, sensor: sensor.map { SensorKind(rawValue: $0) })
    }

    private func statuses() throws(WireError) -> [ActuatorStatus] {
        try need(\.actuators, "actuators").map { payload throws(WireError) in
            guard
                case .actuator(let status)? = try? Message(
                    type: .actuator, payload: Array(payload))
            else { throw WireError(description: "\(type): an invalid actuator status") }
            return status
        }
    }

    /// An error code that this version does not define is treated as `unknownError`.
    private func error() throws(WireError) -> HapticError {
        HapticError(
            HapticError.Code(rawValue: try need(\.code, "code")) ?? .unknownError,
            try need(\.reason, "reason"), port: port, faults: Faults(rawValue: faults ?? 0),
            advice: advice ?? [])
    }
}

/// The statistics of an engine in the messages between processes. A missing member is 0 or unknown.
struct WireStatistics: Codable, Equatable {
    /// The maximum possible lateness of the output, in seconds.
    var onsetError: Double?
    var clockBound: Double?
    var bytesSent: Int?
    var bytesReceived: Int?
    var framesReceived: Int?
    var damagedFrames: Int?
    var resendsAsked: Int?
    var timeouts: Int?
    /// The round-trip time, in microseconds.
    var roundTrip: Microseconds?
    var damagedFramesAtBoard: Int?
    var lateEvents: Int?
    var skippedTaps: Int?
    var underruns: Int?
    var busErrors: Int?
    var faultCount: Int?
    var faults: UInt16?
    /// The payload of the latest STATUS message (SPEC 4.5) in base64, and the number of STATUS
    /// messages that the board has sent.
    var status: Data?
    var statusCount: Int?
    /// The minimum and the maximum lateness, and the maximum error of both, in microseconds.
    var timing: [Microseconds]?

    private enum CodingKeys: String, CodingKey {
        case onsetError = "onset_error"
        case clockBound = "clock_bound"
        case bytesSent = "bytes_sent"
        case bytesReceived = "bytes_received"
        case framesReceived = "frames_received"
        case damagedFrames = "damaged_frames"
        case resendsAsked = "resends_asked"
        case timeouts
        case roundTrip = "round_trip"
        case damagedFramesAtBoard = "damaged_frames_at_board"
        case lateEvents = "late_events"
        case skippedTaps = "skipped_taps"
        case underruns
        case busErrors = "bus_errors"
        case faultCount = "fault_count"
        case faults, status, timing
        case statusCount = "status_count"
    }

    init(_ figures: EngineStatistics) {
        let link = figures.link
        onsetError = figures.onsetError.map { Microseconds($0).seconds }
        clockBound = figures.clockBound.map { Microseconds($0).seconds }
        (bytesSent, bytesReceived) = (link.bytesSent, link.bytesReceived)
        (framesReceived, damagedFrames) = (link.framesReceived, link.damagedFrames)
        (resendsAsked, timeouts) = (link.resendsAsked, link.timeouts)
        roundTrip = link.roundTrip
        damagedFramesAtBoard = figures.damagedFramesAtBoard
        (lateEvents, skippedTaps) = (figures.lateEvents, figures.skippedTaps)
        (underruns, busErrors) = (figures.underruns, figures.busErrors)
        (faultCount, faults) = (figures.faultCount, figures.faults.rawValue)
        status = figures.status.map { Data(Message.status($0).payload) }
        statusCount = figures.statusCount
        timing = figures.timing.map {
            [$0.lateness.lowerBound, $0.lateness.upperBound, $0.errorBound]
        }
    }

    var value: EngineStatistics {
        var figures = EngineStatistics()
        figures.onsetError = onsetError.map { .microseconds(Microseconds(seconds: $0)) }
        figures.clockBound = clockBound.map { .microseconds(Microseconds(seconds: $0)) }
        figures.link.bytesSent = bytesSent ?? 0
        figures.link.bytesReceived = bytesReceived ?? 0
        figures.link.framesReceived = framesReceived ?? 0
        figures.link.damagedFrames = damagedFrames ?? 0
        figures.link.resendsAsked = resendsAsked ?? 0
        figures.link.timeouts = timeouts ?? 0
        figures.link.roundTrip = roundTrip
        figures.damagedFramesAtBoard = damagedFramesAtBoard ?? 0
        figures.lateEvents = lateEvents ?? 0
        figures.skippedTaps = skippedTaps ?? 0
        figures.underruns = underruns ?? 0
        figures.busErrors = busErrors ?? 0
        figures.faultCount = faultCount ?? 0
        figures.faults = Faults(rawValue: faults ?? 0)
        if let status,
            case .status(let counters)? = try? Message(type: .status, payload: Array(status))
        {
            figures.status = counters
        }
        figures.statusCount = statusCount ?? 0
        if let timing, timing.count == 3, timing[0] <= timing[1] {
            figures.timing = StreamTiming(
                lateness: timing[0]...timing[1], errorBound: timing[2])
        }
        return figures
    }
}

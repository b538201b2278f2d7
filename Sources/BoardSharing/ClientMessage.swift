// ClientMessage: the messages from a program to the process that serves its board. The article
// ServerProtocol describes the messages.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns
import SerialPorts

/// A message from a program to the process that serves a board. Each message type uses some of the
/// members.
struct ClientMessage: WireMessage {
    /// The types of the messages.
    enum Kind: String {
        case hello, alive, clock, output
        case pattern, points, add, abandon
        case start, stop, cancel, pause, resume, seek, parameters, curve, rate, loop
        case mute, restart, end, frames
        case shutDown = "shut_down"
    }

    /// The purposes of a connection.
    enum Purpose: String {
        case play, survey, relay, release
    }

    /// The version of the protocol that this program uses.
    static let version = 3

    var type: String
    /// True if the message takes effect together with the next message.
    var more: Bool?
    var version: Int?
    var purpose: String?
    var locality: String?
    var program: String?
    var player: UInt64?
    var time: Microseconds?
    var offset: Microseconds?
    var rate: Double?
    var enabled: Bool?
    var muted: Bool?
    /// True if the program will query its output.
    var output: Bool?
    var limited: Bool?
    var loopEnd: Microseconds?
    var afterIdle: Microseconds?
    var bytes: Data?
    var events: [WireEvent]?
    var parameters: [WireParameter]?
    var curves: [WireCurve]?
    var points: [WirePoint]?

    private enum CodingKeys: String, CodingKey {
        case type, more, version, purpose, locality, program, player, time, offset, rate, enabled
        case muted, output, limited, bytes, events, parameters, curves, points
        case loopEnd = "loop_end"
        case afterIdle = "after_idle"
    }

    init(_ kind: Kind, player: PlayerID? = nil) {
        type = kind.rawValue
        self.player = player?.number
    }

    /// The type; nil for a type that this version does not support.
    var kind: Kind? { Kind(rawValue: type) }

    /// Creates the first message.
    static func hello(for purpose: EngineMailbox.Purpose) -> Self {
        var message = Self(.hello)
        (message.version, message.program) = (version, HostProgram.name)
        switch purpose {
        case .engine(let locality):
            (message.purpose, message.locality) = (Purpose.play.rawValue, locality.rawValue)
        case .survey: message.purpose = Purpose.survey.rawValue
        case .relay: message.purpose = Purpose.relay.rawValue
        case .release: message.purpose = Purpose.release.rawValue
        case .service: preconditionFailure("a service never belongs to another program")
        }
        return message
    }

    /// Creates the message that reports that the program is alive. If a time is given, the message
    /// is also a query for the server's clock and contains the time of the query.
    static func alive(askingAt time: HostTime? = nil) -> Self {
        var message = Self(time == nil ? .alive : .clock)
        message.time = time?.microseconds
        return message
    }
}

extension ClientMessage {
    /// Returns the purpose that the first message from a program states.
    func greeting() throws(WireError) -> EngineMailbox.Purpose {
        guard kind == .hello else {
            throw WireError(description: "\(type): the first message must be `hello`")
        }
        let name = try need(\.purpose, "purpose")
        switch Purpose(rawValue: name) {
        case .play:
            return .engine(HapticLocality(rawValue: locality ?? HapticLocality.default.rawValue))
        case .survey: return .survey
        case .relay: return .relay
        case .release: return .release
        case nil:
            throw WireError(
                description:
                    "hello: the purpose `\(name)` is unknown; expected play, survey, relay or "
                    + "release")
        }
    }
}

// MARK: Requests

extension ClientMessage {
    /// Returns the messages for a request. The messages are created lazily, each when it is read. A
    /// request that concerns only this program has no messages.
    static func messages(for request: EngineRequest) -> AnySequence<ClientMessage> {
        switch request {
        case .perform(.add(let voice), let player):
            let parts = WirePattern.parts(of: voice.pattern, for: player)
            return AnySequence([parts, AnySequence([Self(adding: voice, player)])].joined())
        case .perform(.schedule(let curve, let time), let player):
            return AnySequence(WirePattern.parts(of: curve, at: time, for: player))
        case .perform(.send(let parameters, let time), let player):
            return AnySequence(WirePattern.parts(of: parameters, at: time, for: player))
        default: return AnySequence([Self(of: request)].compactMap(\.self))
        }
    }

    private init(adding voice: PlayerVoice, _ player: PlayerID) {
        self.init(.add, player: player)
        limited = voice.endless == .limited ? true : nil
        muted = voice.isMuted ? true : nil
        rate = voice.rate == 1 ? nil : voice.rate
        enabled = voice.isLooping ? true : nil
        loopEnd = voice.loopEnd
    }

    private init?(of request: EngineRequest) {
        switch request {
        case .perform(let command, let player):
            self.init(of: command, player)
        case .mute(let isMuted):
            self.init(.mute)
            muted = isMuted
        case .shutDown(let timeout):
            self.init(.shutDown)
            afterIdle = timeout
        case .restart: self.init(.restart)
        case .stop: self.init(.end)
        case .frames(let bytes):
            self.init(.frames)
            self.bytes = bytes
        case .log: return nil
        }
    }

    private init(of command: PlayerCommand, _ player: PlayerID) {
        func moment(_ kind: Kind, _ time: HostTime) -> Self {
            var message = Self(kind, player: player)
            message.time = time == 0 ? nil : time.microseconds
            return message
        }
        switch command {
        case .add, .send, .schedule: preconditionFailure("the request is sent in parts")
        case .abandon: self.init(.abandon, player: player)
        case .start(let time, let offset):
            self = moment(.start, time)
            self.offset = offset == 0 ? nil : offset
        case .stop(let time): self = moment(.stop, time)
        case .pause(let time): self = moment(.pause, time)
        case .resume(let time): self = moment(.resume, time)
        case .cancel: self.init(.cancel, player: player)
        case .seek(let offset):
            self.init(.seek, player: player)
            self.offset = offset
        case .setMuted(let isMuted):
            self.init(.mute, player: player)
            muted = isMuted
        case .setRate(let rate):
            self.init(.rate, player: player)
            self.rate = rate
        case .setLoop(let isEnabled, let end):
            self.init(.loop, player: player)
            (enabled, loopEnd) = (isEnabled, end)
        }
    }
}

/// Assembles the requests of a connection from its messages.
struct ClientRequests {
    /// The patterns and curves of players that have not been received completely.
    private var parts: [UInt64: WirePattern] = [:]
    /// The requests that take effect together with the next request.
    private var held: [EngineRequest] = []
    /// The number of entries and control points in ``parts`` and ``held``.
    private var entries = 0

    /// The maximum number of entries and control points that a program may send before they take
    /// effect. The maximum is higher than the number that the AHAP reader accepts in one file.
    static let entriesMax = 250_000
    /// Returns whether a message completes a pattern for which creating a voice takes a long time.
    func isSlow(_ message: ClientMessage) -> Bool {
        message.kind == .add && entries + message.entryCount > Self.fastMax
    }

    /// The maximum number of entries and control points of a voice that can be created in about a
    /// millisecond.
    private static let fastMax = 2_000

    /// The maximum number of requests that take effect together.
    static let togetherMax = 1_000

    /// Handles a message. Returns the requests that take effect now.
    ///
    /// - Throws: `WireError`, which names the type and the member.
    mutating func handle(_ message: ClientMessage) throws(WireError) -> [EngineRequest] {
        guard let kind = message.kind, ![.hello, .alive, .clock, .output].contains(kind) else {
            return []
        }
        entries += message.entryCount
        guard entries <= Self.entriesMax else {
            throw WireError(
                description: "\(message.type): more than \(Self.entriesMax) entries and control "
                    + "points before an `add` completes the pattern; divide the pattern")
        }
        if let request = try request(message) { held.append(request) }
        guard held.count <= Self.togetherMax else {
            throw WireError(
                description:
                    "\(message.type): more than \(Self.togetherMax) messages that take effect at "
                    + "the same time")
        }
        guard message.more != true else { return [] }
        if parts.isEmpty { entries = 0 }
        defer { held = [] }
        return held
    }

    private mutating func request(_ message: ClientMessage) throws(WireError) -> EngineRequest? {
        switch message.kind {
        case .hello, .alive, .clock, .output, nil: return nil
        case .mute where message.player == nil: return .mute(try message.need(\.muted, "muted"))
        case .shutDown:
            guard message.afterIdle ?? 0 >= 0 else {
                throw WireError(description: "shut_down: the member `after_idle` is negative")
            }
            return .shutDown(afterIdle: message.afterIdle)
        case .restart: return .restart
        case .end: return .stop
        case .frames: return .frames(try message.need(\.bytes, "bytes"))
        case .pattern, .points:
            let player = try message.need(\.player, "player")
            try parts[player, default: WirePattern()].add(message)
            return nil
        default:
            let player = try message.need(\.player, "player")
            let command = try command(message, parts.removeValue(forKey: player) ?? WirePattern())
            guard command.isPossible else {
                throw WireError(description: "\(message.type): a time or a value is out of range")
            }
            return .perform(command, PlayerID(number: player))
        }
    }

    private func command(
        _ message: ClientMessage, _ pattern: WirePattern
    ) throws(WireError) -> PlayerCommand {
        let time = HostTime(microseconds: message.time ?? 0)
        switch message.kind {
        case .add: return .add(try voice(message, pattern.pattern))
        case .abandon: return .abandon
        case .start: return .start(at: time, from: message.offset ?? 0)
        case .stop: return .stop(at: time)
        case .cancel: return .cancel
        case .pause: return .pause(at: time)
        case .resume: return .resume(at: time)
        case .seek: return .seek(offset: try message.need(\.offset, "offset"))
        case .parameters:
            let parameters = try message.need(\.parameters, "parameters")
            return .send(parameters.map(\.value), at: time)
        case .curve:
            var pattern = pattern
            try pattern.add(message)
            guard pattern.curves.count == 1, pattern.events.isEmpty, pattern.parameters.isEmpty
            else { throw WireError(description: "curve: `curves` must contain exactly one curve") }
            return .schedule(pattern.curves[0], at: time)
        case .rate: return .setRate(try message.need(\.rate, "rate"))
        case .loop:
            return .setLoop(try message.need(\.enabled, "enabled"), end: message.loopEnd ?? 0)
        default: return .setMuted(try message.need(\.muted, "muted"))
        }
    }
}

extension ClientRequests {
    /// Creates the voice of a new player. The values are checked before they are used for
    /// calculations.
    private func voice(
        _ message: ClientMessage, _ pattern: HapticPattern
    ) throws(WireError) -> PlayerVoice {
        let (rate, loopEnd) = (message.rate ?? 1, message.loopEnd ?? 0)
        guard pattern.isPossible, PlayerClock.rates.contains(rate), loopEnd >= 0 else {
            throw WireError(description: "add: a time or a value is out of range")
        }
        var voice = PlayerVoice(
            pattern, endless: message.limited == true ? .limited : .unlimited)
        voice.isMuted = message.muted ?? false
        voice.setRate(rate)
        voice.setLoop(message.enabled ?? false, end: loopEnd)
        return voice
    }
}

extension ClientMessage {
    fileprivate var entryCount: Int {
        (events?.count ?? 0) + (parameters?.count ?? 0) + (points?.count ?? 0)
            + (curves ?? []).reduce(0) { $0 + 1 + $1.points.count }
    }
}

// Tests that compare the messages between programs that share a board with test vectors.

import BridgeLink
import CBridgeProtocol
import Foundation
import HapticCompiler
import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite struct ServerMessageTests {
    private func vectors(of speaker: String) throws -> [String] {
        let file = PackageFolder.url.appending(path: "Tests/Vectors/server/messages.txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix(speaker + " ") }.map { String($0.dropFirst(speaker.count + 1)) }
    }

    private func text(_ message: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }

    private let player = PlayerID(number: 1)

    private let welcome: Welcome
    private let board: StartedBoard

    init() throws {
        var bytes = [UInt8](repeating: 0, count: Int(BRIDGE_WELCOME_SIZE))
        bytes[0] = 1
        guard case .welcome(let welcome) = try Message(type: .welcome, payload: bytes),
            case .actuator(let status) = try Message(
                type: .actuator, payload: [UInt8](repeating: 0, count: Int(BRIDGE_ACTUATOR_SIZE)))
        else { throw CocoaError(.featureUnsupported) }
        self.welcome = welcome
        board = StartedBoard(welcome, [status], [.coinLRA], sensor: .lsm6dso)
    }

    private var requests: [EngineRequest] {
        let taps = HapticPattern(
            events: [
                HapticEvent(.hapticTransient, time: 0, intensity: 1, sharpness: 0.5),
                HapticEvent(
                    .hapticTransient, time: 250_000, duration: 100_000, intensity: 0.25,
                    sharpness: 1),
            ],
            parameters: [.init(.hapticIntensityControl, time: 0, value: 0.5)],
            curves: [
                .init(
                    .hapticSharpnessControl, time: 1_000,
                    points: [.init(time: 0, value: -1), .init(time: 500_000, value: 1)])
            ])
        var looping = PlayerVoice(taps, endless: .limited)
        looping.isMuted = true
        looping.setRate(2)
        looping.setLoop(true, end: 250_000)
        let levels = PlayerVoice(
            HapticPattern(events: [
                HapticEvent(
                    .hapticContinuous, time: 0, duration: 500_000, intensity: 0.5, sharpness: 0.25),
                HapticEvent(
                    .hapticContinuous, time: 10, intensity: 1, sharpness: 0,
                    envelope: Envelope(
                        attackTime: 0.25, decayTime: 0.5, releaseTime: 0.75, sustained: false)),
                HapticEvent(.audioContinuous, time: 20, duration: 700_000),
            ]))
        let commands: [PlayerCommand] = [
            .start(at: 0), .start(at: 123_456_789, from: 2_500), .stop(at: 123_456_789), .cancel,
            .pause(at: 0), .resume(at: 123_456_789), .seek(offset: 1_000_000),
            .send(
                [
                    .init(.hapticIntensityControl, time: 1_000, value: 0.25),
                    .init(.hapticDecayTimeControl, time: 0, value: -0.5),
                ], at: 5),
            .schedule(
                .init(
                    .hapticIntensityControl, time: 0,
                    points: [.init(time: 0, value: 0), .init(time: 1_000, value: 1)]), at: 5),
            .setRate(0.5), .setLoop(true, end: 0), .setMuted(true), .abandon,
        ]
        return [.perform(.add(looping), player), .perform(.add(levels), PlayerID(number: 2))]
            + commands.map { .perform($0, player) } + [
                .mute(false), .shutDown(afterIdle: 2_000_000), .restart, .stop,
                .frames(Data([0, 0xFF])),
            ]
    }

    @Test func whatAProgramSaysIsInTheVectors() throws {
        var hello = ClientMessage.hello(for: .engine(.leftHandle))
        (hello.program, hello.output) = ("one tap", true)
        var query = ClientMessage(.output, player: player)
        query.time = 123_456_789
        let messages =
            [hello] + requests.flatMap { Array(ClientMessage.messages(for: $0)) } + [
                .alive(), .alive(askingAt: 42), query, ClientMessage(.output),
            ]
        #expect(try messages.map(text) == vectors(of: "client"))
    }

    /// Requests cannot be compared directly, so the test encodes them again and compares the
    /// messages.
    @Test func whatAProgramSaysIsUnderstood() throws {
        var understood = ClientRequests()
        var again: [String] = []
        for vector in try vectors(of: "client").dropFirst() {
            let message = try JSONDecoder().decode(ClientMessage.self, from: Data(vector.utf8))
            for request in try understood.handle(message) {
                again += try ClientMessage.messages(for: request).map(text)
            }
        }
        #expect(try again == Array(vectors(of: "client").dropFirst().dropLast(4)))
    }

    @Test func whatAServerSaysIsInTheVectorsAndUnderstood() throws {
        var figures = HapticEngine.Statistics()
        (figures.clockBound, figures.lateEvents) = (.milliseconds(1), 3)
        (figures.faultCount, figures.faults) = (1, Faults(rawValue: 2))
        (figures.link.bytesSent, figures.link.bytesReceived) = (1, 2)
        figures.link.roundTrip = 1_500
        figures.timing = StreamTiming(lateness: -5...10, errorBound: 42)
        let reports: [EngineReport] = [
            .connected(
                BoardEndpoint(path: "/dev/ttyACM0", identity: "usb:1", system: PortSystem())),
            .started(board), .finished([player, PlayerID(number: 2)]), .measured(figures),
            .faults(Faults(rawValue: 4)), .reset, .idle, .surveyed([]), .frames(Data([0, 0xFF])),
            .stopped, .failed(HapticError(.notSupported, "no board")),
            .lost(
                HapticError(
                    .serverInterrupted, "unplugged", port: "/dev/ttyACM0", faults: [],
                    advice: ["plug the board in again"])),
            .lost(HapticError([.overCurrent], of: 0, .playback, on: welcome)),
            .suspended(HapticError(.serverInterrupted, "silent")),
        ]
        let messages =
            [
                .refused("this board is served already"), .unknown("sing"), ServerMessage(.alive),
                .clock(sent: 42, at: 4_242),
                .output(HapticOutput(intensity: 0.5, sharpness: 0.25), of: nil, at: nil),
                .output(nil, of: player, at: 123_456_789),
            ] + reports.map(ServerMessage.init(of:))
        let vectors = try vectors(of: "server")
        #expect(try messages.map(text) == vectors)
        let understood = try vectors.compactMap {
            try JSONDecoder().decode(ServerMessage.self, from: Data($0.utf8)).report()
        }
        let again = try understood.map { try text(ServerMessage(of: $0)) }
        #expect(again == Array(vectors.dropFirst(6)))
    }

    @Test func theBoardOfAStartPassesAsItDescribesItself() throws {
        let started = ServerMessage(of: .started(board))
        guard case .started(let received)? = try started.report() else {
            Issue.record("not a start")
            return
        }
        #expect(received == board)
    }

    // MARK: Other versions

    @Test func whatAVersionDoesNotKnowIsSkipped() throws {
        func client(_ text: String) throws -> ClientMessage {
            try JSONDecoder().decode(ClientMessage.self, from: Data(text.utf8))
        }
        let start = try client(#"{"type":"start","player":1,"colour":{"red":[1]}}"#)
        #expect(start.kind == .start && start.player == 1)
        var requests = ClientRequests()
        let unknown = try client(#"{"type":"sing","player":1}"#)
        #expect(try unknown.kind == nil && requests.handle(unknown).isEmpty)
        let report = try JSONDecoder().decode(
            ServerMessage.self, from: Data(#"{"type":"applause","volume":3}"#.utf8))
        #expect(try report.report() == nil)
        let error = try JSONDecoder().decode(
            ServerMessage.self, from: Data(#"{"type":"lost","code":-1,"reason":"why"}"#.utf8))
        guard case .lost(HapticError(.unknownError, "why"))? = try error.report() else {
            Issue.record("an error code of a newer version was not read as an unknown error")
            return
        }
    }

    @Test(arguments: [
        (#"{"type":"start"}"#, "start: the member `player` is missing"),
        (#"{"type":"seek","player":1}"#, "seek: the member `offset` is missing"),
        (#"{"type":"start","player":1,"time":-5}"#, "start: a time or a value is out of range"),
        (#"{"type":"add","player":1,"rate":65}"#, "add: a time or a value is out of range"),
        (
            #"{"type":"shut_down","after_idle":-1}"#,
            "shut_down: the member `after_idle` is negative"
        ),
        (#"{"type":"rate","player":1,"rate":1e999}"#, "1:34: the number 1e999 is out of range"),
        (
            #"{"rate":0.5,"type":"start","player":1,"time":0.25}"#,
            "1:46: the number 0.25 is not an integer"
        ),
        (
            #"{"type":"pattern","player":1,"events":[[0,0,0.5],[0,0.5]]}"#,
            "events[1][2]: 0.5 is not an integer number of microseconds"
        ),
        (
            #"{"type":"rate","player":1"#,
            "1:26: expected \",\" or \"}\", found the end of the file"
        ),
        (#"{"type":"curve","player":1}"#, "curve: `curves` must contain exactly one curve"),
        (
            #"{"type":"pattern","player":1,"events":[[7,0]]}"#,
            "events[0][1]: 7 is not an event type; expected 0, 1 or 2"
        ),
        (
            #"{"type":"parameters","player":1,"parameters":[["Loudness",0,1]]}"#,
            "parameters[0][0]: Cannot initialize DynamicParameterID from invalid String value Loudness"
        ),
    ])
    func aMistakeIsNamed(text: String, reason: String) {
        var requests = ClientRequests()
        do {
            let message = try ClientMessage(reading: Data(text.utf8))
            _ = try requests.handle(message)
            Issue.record("accepted")
        } catch {
            #expect(WireError(error).description == reason)
        }
    }

    // MARK: Large patterns

    /// All numbers have the maximum number of digits, so this message has the maximum length.
    @Test func noPartOfAPatternIsTooLong() throws {
        let (time, value) = (Microseconds(999_999_999_999_999_999), 0.12345678901234567)
        let envelope = Envelope(
            attackTime: value, decayTime: value, releaseTime: value, sustained: false)
        let pattern = HapticPattern(
            events: (0..<1_000).map { _ in
                HapticEvent(
                    .hapticContinuous, time: time, duration: time, intensity: value,
                    sharpness: value, envelope: envelope)
            },
            parameters: (0..<1_000).map { _ in
                .init(.hapticReleaseTimeControl, time: time, value: -value)
            },
            curves: [
                .init(
                    .hapticReleaseTimeControl, time: time,
                    points: (0..<1_000).map { _ in .init(time: time, value: -value) })
            ])
        let request = EngineRequest.perform(.add(PlayerVoice(pattern)), player)
        let texts = try ClientMessage.messages(for: request).map(text)
        #expect(texts.count == 13)
        #expect(texts.allSatisfy { $0.utf8.count <= MessageConnection.lengthMax })
    }

    @Test func aPatternOfManyPartsIsPutTogether() throws {
        var generator = SeededGenerator(seed: 1)
        let pattern = HapticPattern(
            events: (0..<1_234).map { index in
                HapticEvent(
                    index % 3 == 0 ? .hapticContinuous : .hapticTransient,
                    time: .random(in: 0...9_000_000, using: &generator),
                    duration: index % 3 == 0 ? 1_000 : nil,
                    intensity: .random(in: 0...1, using: &generator),
                    sharpness: .random(in: 0...1, using: &generator))
            },
            parameters: (0..<600).map { .init(.hapticIntensityControl, time: $0, value: 0.5) },
            curves: (0..<3).map { curve in
                .init(
                    .hapticIntensityControl, time: curve * 1_000_000,
                    points: (0..<700).map { .init(time: $0 * 100, value: Double($0) / 700) })
            })
        var requests = ClientRequests()
        var taken: [EngineRequest] = []
        let sent = EngineRequest.perform(.add(PlayerVoice(pattern)), player)
        for message in ClientMessage.messages(for: sent) { taken += try requests.handle(message) }
        guard taken.count == 1, case .perform(.add(let voice), player) = taken[0] else {
            Issue.record("not one player")
            return
        }
        #expect(voice.pattern == pattern)
    }

    @Test func aPatternWithoutAnEndIsRefused() throws {
        var part = ClientMessage(.pattern, player: player)
        part.more = true
        part.events = (0..<10_000).map { _ in WireEvent(.init(.hapticTransient, time: 0)) }
        var requests = ClientRequests()
        for _ in 0..<25 { _ = try requests.handle(part) }
        #expect(throws: WireError.self) { try requests.handle(part) }
    }
}

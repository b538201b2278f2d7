import DRV2605
import Testing

@testable import BridgeLink

@Suite struct HostTranscriptTests {
    private static let configuration = {
        var made = ActuatorConfiguration(
            kind: .lra, resonance: 170, rated: 2_500, overdrive: 3_540, chip: .drv2605L,
            name: "coin")
        // The duration of four cycles at the resonance.
        made.tapDull = 23_529
        return made
    }()
    private static let tap: [UInt8] = [0x90, 0xFF, 0x80, 0xF1, 0x64, 0x00]
    private let configure = Command.configure(Self.configuration, actuator: 0)
    private let open = Command.open(Open(stream: 0, actuators: .init(index: 0)))
    private let start = Command.start(Start(stream: 0, isRelative: true, time: 20_000))

    private func isCarriedOut(_ event: LinkEvent) -> Bool {
        if case .carriedOut = event { true } else { false }
    }

    @Test func play() throws {
        let events = try Transcript("play").play([
            400_000: { $0.send(configure) },
            700_000: { $0.send(open) },
            710_000: { session in
                #expect(session.eventCredit(stream: 0) == 512)
                session.send(.events(Events(stream: 0, bytes: Self.tap)))
            },
            720_000: { $0.send(start) },
            900_000: { $0.ask(.actuator(0)) },
            910_000: { $0.send(.close(stream: 0)) },
        ])
        #expect(events.filter(isCarriedOut).count == 5)
        let ended = events.contains {
            if case .stream(let stream, nil) = $0 {
                stream.state == .ended && stream.position == 100
            } else {
                false
            }
        }
        #expect(ended)
        let atRest = events.contains {
            if case .actuator(let actuator, _?) = $0 { actuator.state == .atRest } else { false }
        }
        #expect(atRest)
    }

    @Test func stop() throws {
        var stop: RequestID?
        let events = try Transcript("stop").play([
            400_000: { $0.send(configure) },
            700_000: { $0.send(open) },
            710_000: { $0.send(.events(Events(stream: 0, bytes: Self.tap))) },
            720_000: { $0.send(start) },
            730_000: { stop = $0.stop() },
            900_000: { session in
                #expect(session.eventCredit(stream: 0) == 0)
                session.send(open)
            },
        ])
        #expect(events.filter(isCarriedOut).count == 4)
        #expect(events.contains(.dropped(RequestID(number: 4))))
        #expect(events.contains(.stopped(stop!)))
    }

    @Test func reset() throws {
        let events = try Transcript("reset").play([800_000: { $0.ask(.status) }])
        #expect(events.last == .ended(.sessionLost(cause: .watchdog, bootCount: 2)))
    }

    @Test func version() throws {
        let events = try Transcript("version").play(versions: 2...3)
        let refusal = LinkEnd.versionRefused(device: 1...1, host: 2...3)
        #expect(events == [.ended(refusal)])
        #expect(
            "\(refusal)"
                == "the board supports protocol version 1 and this host versions 2 to 3: "
                + "update the firmware of the board"
        )
    }

    @Test func duplicate() throws {
        let gain = Command.gain(Gain(actuators: .init(index: 0), gain: 128))
        let events = try Transcript("duplicate").play([400_000: { $0.send(gain) }])
        #expect(events.filter(isCarriedOut).count == 1)
    }

    @Test func missing() throws {
        let events = try Transcript("missing").play([
            400_000: { session in
                session.send(.gain(Gain(actuators: .init(index: 0), gain: 128)))
                session.send(.gain(Gain(actuators: .init(index: 0), gain: 64)))
            }
        ])
        #expect(events.filter(isCarriedOut).count == 2)
    }

    @Test func reject() throws {
        let events = try Transcript("reject").play([
            400_000: { $0.send(open) },
            410_000: { $0.send(.close(stream: 7)) },
        ])
        #expect(
            events.contains(
                .rejected(RequestID(number: 1), Reject(type: .open, code: .unconfigured))))
        #expect(
            events.contains(.rejected(RequestID(number: 2), Reject(type: .close, code: .noStream))))
        #expect(!events.contains(where: isCarriedOut))
    }

    @Test func revise() throws {
        let revise = Revise(
            stream: 0, generation: 1, time: 0xFC79_4A40, level: 50, sharpness: 0,
            bytes: [0xF1, 0x64, 0x00])
        let events = try Transcript("revise").play([
            400_000: { $0.send(configure) },
            700_000: { $0.send(open) },
            710_000: {
                $0.send(.events(Events(stream: 0, bytes: [0xB0, 0xC8, 0xF1, 0xA0, 0x1F, 0x00])))
            },
            720_000: { $0.send(start) },
            800_000: { $0.send(.revise(revise)) },
            1_000_000: { $0.send(.close(stream: 0)) },
        ])
        #expect(events.filter(isCarriedOut).count == 6)
    }
}

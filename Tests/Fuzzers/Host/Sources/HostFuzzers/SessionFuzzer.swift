// Fuzzes a session with a running playback. The device sends arbitrary bytes or frames at arbitrary
// times.

import BridgeLink
import SerialPorts

@_cdecl("fuzz_host_session")
public func fuzzSession(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(bytes, count)
    var host = Host()
    while !input.isEmpty { host.step(&input) }
    return 0
}

private struct Host {
    private static let sessionID: UInt32 = 0x1234_5678
    private var session = LinkSession(sessionID: sessionID, at: 0)
    private var playback: Playback?
    private var now: HostTime = 0

    mutating func step(_ input: inout Input) {
        let what = input.byte()
        switch what & 7 {
        case 0: now += Microseconds(input.byte()) * 1_000
        case 1: session.receive(input.take(Int(what >> 3)), at: now)
        case 2: welcome(window: what)
        case 3: request(what >> 3)
        default: answer(&input)
        }
        run()
    }

    private mutating func run() {
        now += 50
        session.poll(at: now)
        drain()
        let output = session.nextOutput(limit: LinkSession.unsentMax, at: now)
        promise(output.count <= LinkSession.unsentMax, "there are too many unsent bytes")
        drain()
    }

    private mutating func drain() {
        while let event = session.nextEvent() {
            _ = "\(event)"
            playback?.handle(event, &session, at: now)
        }
        playback?.advance(&session, at: now)
    }

    private mutating func welcome(window: UInt8) {
        receive(
            Frame(
                type: .welcome,
                payload: [1, 1, 1, 0x78, 0x56, 0x34, 0x12] + [0, 0, 0, 0]
                    + [1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 1, 1, 0x80, 1, window, 0, 64, 1, 1, 0]
                    + [0, 0x79, 0x6C, 0xFC, 1]))
    }

    /// Returns a frame of any type with a valid CRC.
    private mutating func answer(_ input: inout Input) {
        let type = MessageType(rawValue: input.byte())
        let sequence = input.byte()
        let length = Int(input.byte() & 63)
        receive(
            Frame(type: type, sequence: sequence, payload: Array(input.take(length).prefix(58))))
    }

    private mutating func receive(_ frame: Frame) {
        session.receive(FrameEncoder(session: Self.sessionID).encode(frame), at: now)
    }

    private mutating func request(_ what: UInt8) {
        switch what % 6 {
        case 0:
            guard playback == nil || playback?.outcome != nil else { return }
            var next = Playback(
                events: [0xB0, 200, 0xF1, 40, 0x00], actuators: ActuatorMask(index: 0))
            next.begin(&session, at: now)
            playback = next
        case 1: playback?.stop(&session, at: now)
        case 2: session.mute(.all, what & 8 == 0)
        case 3: session.ask(.clock)
        case 4: session.ask(.configuration(actuator: 0))
        default: session.send(.gain(Gain(actuators: .all, gain: what)))
        }
    }
}

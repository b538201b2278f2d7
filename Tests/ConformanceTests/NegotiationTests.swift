// Tests of the beginning of a session (SPEC 3, 4.2), and of the answer to a host with a different
// protocol version.

import BridgeLink
import CBridgeProtocol
import SerialPorts
import TestSupport
import Testing

@Suite struct NegotiationTests {
    @Test(arguments: ConformanceBoard.available)
    func welcomeSaysWhatTheBoardIs(_ board: ConformanceBoard) async throws {
        try await board.withRig { rig in
            let welcome = try rig.connect()
            #expect(welcome.version == UInt8(BRIDGE_VERSION_MAX))
            #expect((welcome.versionMin...welcome.versionMax).contains(welcome.version))
            #expect(welcome.session == rig.link.session.sessionID)
            #expect(welcome.features.isSuperset(of: [.revise, .calibration]))
            #expect(welcome.firmware > 0)
            #expect((1...UInt8(BRIDGE_ACTUATORS_MAX)).contains(welcome.actuators))
            #expect((1...welcome.actuators).contains(welcome.streams))
            #expect(welcome.eventMemory >= 384)
            #expect(welcome.linkWindow >= UInt16(BRIDGE_FRAME_MAX))
            #expect(welcome.bodyMax == UInt8(BRIDGE_BODY_MAX))
            #expect(ResetCause.names[welcome.resetCause] != nil)
            if board != .real {
                #expect(welcome.resetCause == (board.runsImage ? .power : .unknown))
                let age = welcome.clock &- BRIDGE_CLOCK_AT_BOOT
                #expect(age < 10_000_000, "the clock starts at CLOCK_AT_BOOT")
            }
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func creditsAreThoseOfTheWelcome(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let welcome = try #require(rig.link.session.welcome)
            try rig.load([])
            #expect(rig.link.session.eventCredit(stream: 0) == welcome.eventMemory)
            let stream = try rig.link.stream()
            #expect(stream.capacity == welcome.eventMemory)
            #expect(stream.eventLimit == stream.capacity)
            #expect(stream.state == .open)
            try rig.load([0xB0, 9], memory: 64)
            #expect(try rig.link.stream().capacity == 64)
            let tooMuch = Open(
                stream: 0, actuators: ActuatorMask(index: 0), memory: welcome.eventMemory + 1)
            #expect(try rig.link.carryOut(.open(tooMuch))?.limit == UInt32(welcome.eventMemory))
            let elsewhere = Open(stream: welcome.streams, actuators: ActuatorMask(index: 0))
            #expect(try rig.link.carryOut(.open(elsewhere))?.code == .noStream)
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func aRepeatedHelloIsOnlyAnsweredAgain(_ board: ConformanceBoard) async throws {
        try await board.test { rig throws in
            #expect(try rig.link.carryOut(.gain(Gain(actuators: .all, gain: 100)))?.code != nil)
            let gain = Gain(actuators: ActuatorMask(index: 0), gain: 100)
            #expect(try rig.link.carryOut(.gain(gain)) == nil)
            let welcomes = rig.hello(session: rig.link.session.sessionID)
            #expect(welcomes.map(\.version) == [1])
            #expect(try rig.link.status().gain == 100)
            #expect(try rig.link.carryOut(.gain(gain)) == nil, "the sequence continues")
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func aNewSessionBeginsWithFullGainAndUnmuted(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let gain = Gain(actuators: ActuatorMask(index: 0), gain: 100)
            #expect(try rig.link.carryOut(.gain(gain)) == nil)
            try rig.link.mute(true)
            #expect(try rig.link.status().state.contains(.muted))
            try rig.connect()
            let status = try rig.link.status()
            #expect(status.gain == 255)
            #expect(!status.state.contains(.muted))
            #expect(status.rejects == 0)
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func aVersionThatTheBoardDoesNotSpeakIsRefusedAndChangesNothing(
        _ board: ConformanceBoard
    ) async throws {
        try await board.test { rig throws in
            let gain = Gain(actuators: ActuatorMask(index: 0), gain: 100)
            #expect(try rig.link.carryOut(.gain(gain)) == nil)
            let refusals = rig.hello(session: 0x0BAD_0BAD, versions: 7...9)
            #expect(refusals.map(\.version) == [0])
            #expect(refusals.map(\.versionMax) == [1])
            #expect(try rig.link.status().gain == 100, "the session continues")
            let stranger = IdealLink(rig.board, sessionID: 0x0BAD_F00D, versions: 7...9)
            #expect(!stranger.connect())
            #expect(stranger.session.endReason == .versionRefused(device: 1...1, host: 7...9))
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func aRangeWithAVersionInCommonIsTaken(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            #expect(rig.hello(session: 0x600D, versions: 1...9).map(\.version) == [1])
            #expect(rig.hello(session: 0x600E, versions: 0...1).map(\.version) == [1])
            try rig.connect()
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func whatIsNotKnownIsRejectedAndTheSessionContinues(_ board: ConformanceBoard) async throws {
        try await board.test { rig throws in
            #expect(throws: RequestError.self) { try rig.link.stream(200) }
            #expect(throws: RequestError.self) { try rig.link.actuator(200) }
            #expect(try rig.link.carryOut(.close(stream: 200))?.code == .noStream)
            #expect(try rig.link.carryOut(.save(actuator: 200))?.code == .noActuator)
            #expect(try rig.link.status().rejects > 0)
        }
    }
}

extension Rig {
    /// Sends a HELLO between the session's own frames. Returns the WELCOME messages that answer it.
    func hello(session: UInt32, versions: ClosedRange<UInt8> = Hello.ownVersions) -> [Welcome] {
        let hello = Frame(.hello(Hello(versions: versions, session: session)))
        board.send([0] + FrameEncoder(session: 0).encode(hello), at: board.now)
        var decoder = FrameDecoder(session: 0)
        var answers: [Welcome] = []
        let end = board.now + 200_000
        while board.now < end {
            board.advance(to: board.now + 1_000)
            let sent = board.drainSent()
            for frame in decoder.receive(sent.map(\.byte)) {
                if case .welcome(let welcome)? = try? Message(
                    type: frame.type, payload: frame.payload), welcome.session == session
                {
                    answers.append(welcome)
                }
            }
            link.listen(to: sent)
        }
        return answers
    }
}

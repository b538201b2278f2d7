import TestSupport
import Testing

@testable import BridgeLink

@Suite struct LinkSessionTests {
    /// Returns `count` different commands.
    private func gains(_ count: Int) -> [Command] {
        (0..<count).map {
            .gain(Gain(actuators: .init(rawValue: UInt16($0 >> 8)), gain: UInt8($0 & 0xFF)))
        }
    }

    private func deliver(_ commands: [Command], over line: inout ModelDeviceLink) -> Bool {
        let requests = commands.map { line.session.send($0) }
        let isDone = line.run(milliseconds: 120_000) {
            $0.events.contains(.carriedOut(requests.last!))
        }
        let verdicts = line.events.compactMap {
            if case .carriedOut(let id) = $0 { id } else { nil }
        }
        return isDone && verdicts == requests
    }

    // MARK: Connecting

    @Test func helloIsRepeatedUntilTheBoardHasBooted() {
        var session = LinkSession(sessionID: 1, at: 0)
        var hellos: [HostTime] = []
        for now in stride(from: HostTime(0), to: 1_000_000, by: 1_000) {
            session.poll(at: now)
            session.receive([0x55, 0xAA, 0x00, 0x42], at: now)  // noise from a boot loader
            if !session.nextOutput(limit: 128, at: now).isEmpty { hellos.append(now) }
        }
        #expect(hellos == [0, 200_000, 400_000, 600_000, 800_000])
        #expect(session.phase == .connecting)
    }

    @Test func connectsThroughGarbageAndNoSession() {
        var line = ModelDeviceLink()
        line.device.reset()
        line.session.receive([UInt8](repeating: 0x33, count: 1_000), at: line.now)
        line.connect()
        #expect(line.session.phase == .open)
        #expect(line.session.welcome?.eventMemory == 512)
    }

    @Test func givesUpWithWhatItReceived() {
        var session = LinkSession(sessionID: 1, at: 0)
        session.receive([1, 2, 3, 0], at: 10)
        session.poll(at: 3_999_999)
        #expect(session.phase == .connecting)
        session.poll(at: 4_000_000)
        let failure = ConnectFailure(
            waited: 4_000_000, bytesReceived: 4, damagedFrames: 1, receivedNoSession: false)
        #expect(session.nextEvent() == .ended(.noAnswer(failure)))
        #expect(session.nextOutput(limit: 128, at: 4_000_001).isEmpty)
        #expect(session.nextDeadline == nil)
    }

    @Test func ignoresTheWelcomeOfAnotherSession() {
        let device = ModelDevice()
        var other = LinkSession(sessionID: 2, at: 0)
        device.receive(other.nextOutput(limit: 128, at: 0))
        var session = LinkSession(sessionID: 1, at: 0)
        session.receive(device.nextOutput(), at: 0)
        #expect(session.phase == .connecting)
    }

    // MARK: Sequence

    @Test func carriesCommandsOutInOrderOnAGoodLine() {
        var line = ModelDeviceLink()
        line.connect()
        let commands = gains(100)
        #expect(deliver(commands, over: &line))
        #expect(line.device.carriedOut == commands)
        #expect(line.session.statistics.timeouts == 0 && line.session.statistics.resendsAsked == 0)
        #expect(line.unsentMax <= 128)
    }

    @Test(arguments: [
        ModelDeviceLink.Trouble.bytes(oneIn: 211), .bytes(oneIn: 60), .portions(oneIn: 5),
        .portions(oneIn: 50),
    ])
    func carriesCommandsOutExactlyOnceOnABadLine(_ trouble: ModelDeviceLink.Trouble) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var line = ModelDeviceLink(seed: seed)
            line.connect()
            line.trouble = trouble
            let commands = gains(300)
            #expect(deliver(commands, over: &line), "\(trouble), seed \(seed)")
            #expect(line.device.carriedOut == commands, "\(trouble), seed \(seed)")
        }
    }

    @Test func sequenceAndLinkTotalWrap() {
        var line = ModelDeviceLink(seed: 3)
        line.connect()
        line.trouble = .bytes(oneIn: 2_000)
        let commands = gains(6_500)  // these frames have 71,500 bytes on the line
        #expect(deliver(commands, over: &line))
        #expect(line.device.carriedOut == commands)
    }

    @Test func oneGapIsSentAgainOnceForManyComplaints() {
        var line = ModelDeviceLink()
        line.connect()
        let now = line.now
        for command in gains(4) { line.session.send(command) }
        #expect(!line.session.nextOutput(limit: 1_000, at: now).isEmpty)
        let complaint = FrameEncoder(session: 0xCAFE_F00D).encode(
            Frame(.acknowledge(Acknowledge(nextSequence: 0, asksToResend: true, linkLimit: 192))))
        line.session.receive(complaint, at: now + 2_000)
        #expect(
            line.session.nextOutput(limit: 1_000, at: now + 2_000).split(separator: 0).count == 4)
        line.session.receive(complaint + complaint, at: now + 2_500)
        #expect(line.session.nextOutput(limit: 1_000, at: now + 2_500).isEmpty)
    }

    /// Checks the limit in SPEC 4.4: the device's buffer reserves 33 bytes for these messages.
    @Test func threeUrgentMessagesAndQueriesAreUnansweredAtMost() {
        var line = ModelDeviceLink()
        line.connect()
        for query in [Query.status, .stream(0), .actuator(0), .configuration(actuator: 0), .clock] {
            line.session.ask(query)
        }
        line.session.mute(.all, true)
        let wire = line.session.nextOutput(limit: 10_000, at: line.now)
        #expect(wire.split(separator: 0).count == 3)
        #expect(wire.count <= 33)
    }

    /// Without a check, a session with this device would wait forever (SPEC 4.2).
    @Test(arguments: [
        ("actuators", 0), ("actuators", 17), ("actuators", 255), ("streams", 0), ("streams", 17),
        ("event_memory", 31), ("link_window", 0), ("link_window", 65), ("body_max", 63),
    ])
    func aWelcomeOutsideItsRangesOpensNoSession(field: String, value: Int) {
        var line = ModelDeviceLink()
        switch field {
        case "actuators": line.device.actuators = UInt8(value)
        case "streams": line.device.streams = UInt8(value)
        case "event_memory": line.device.memory = UInt16(value)
        case "link_window": line.device.linkWindow = UInt16(value)
        default: line.device.bodyMax = UInt8(value)
        }
        line.connect()
        guard case .welcomeInvalid(let violation)? = line.session.endReason else {
            Issue.record("\(String(describing: line.session.endReason))")
            return
        }
        #expect(violation.field == field && violation.value == value)
        #expect(!violation.range.contains(value))
    }

    @Test func linkCreditIsNeverPassed() {
        var line = ModelDeviceLink()
        line.device.linkWindow = 66
        line.connect()
        for command in gains(50) { line.session.send(command) }
        let wire = line.session.nextOutput(limit: 10_000, at: line.now)
        #expect(wire.count == 66)
        #expect(line.session.nextOutput(limit: 10_000, at: line.now).isEmpty)
    }

    @Test func onlyWholeFramesAreTaken() {
        var line = ModelDeviceLink()
        line.connect()
        line.session.send(gains(1)[0])
        #expect(line.session.nextOutput(limit: 10, at: line.now).isEmpty)
        #expect(line.session.isOutputWaiting)
        #expect(line.session.nextOutput(limit: 11, at: line.now).count == 11)
        #expect(!line.session.isOutputWaiting)
    }

    // MARK: Rejects

    @Test(arguments: [ModelDeviceLink.Trouble.none, .bytes(oneIn: 150)])
    func rejectsAreMatchedToTheirCommands(_ trouble: ModelDeviceLink.Trouble) {
        var line = ModelDeviceLink(seed: 7)
        line.connect()
        line.trouble = trouble
        line.device.rejectCode = {
            if case .gain(let gain) = $0, gain.gain % 10 == 0 { .noActuator } else { nil }
        }
        var rejected: [RequestID] = []
        var unknown = 0
        for _ in 0..<20 {
            let requests = gains(10).map { line.session.send($0) }
            rejected.append(requests[0])
            let isDone = line.run { line in
                requests.allSatisfy { line.verdict(on: $0) != nil }
            }
            #expect(isDone)
            unknown += requests.filter { line.events.contains(.outcomeUnknown($0)) }.count
        }
        let found = line.events.compactMap { event -> RequestID? in
            guard case .rejected(let request, let reject) = event else { return nil }
            #expect(reject.code == .noActuator && reject.type == .gain)
            return request
        }
        #expect(found == rejected)
        #expect(unknown == 0)
    }

    // MARK: Queries

    @Test func queriesOfOneTypeWaitForEachOther() {
        var line = ModelDeviceLink()
        line.connect()
        for index in 0..<3 as Range<UInt8> { line.session.ask(.actuator(index)) }
        line.session.ask(.status)
        let wire = line.session.nextOutput(limit: 1_000, at: line.now)
        var decoder = FrameDecoder(session: 0xCAFE_F00D)
        #expect(decoder.receive(wire).map(\.type) == [.getActuator, .getStatus])
        line.device.receive(wire)
        line.session.receive(line.device.nextOutput(), at: line.now)
        let next = line.session.nextOutput(limit: 1_000, at: line.now)
        #expect(decoder.receive(next).map(\.payload) == [[1]])
    }

    @Test func anEqualQueryThatWaitsIsSentOnceForAllWhoAsk() {
        var line = ModelDeviceLink()
        line.connect()
        line.session.ask(.actuator(0))
        let requests = (0..<1_000).map { _ in line.session.askOnce(.actuator(1)) }
        #expect(Set(requests).count == 1)
        #expect(line.session.askOnce(.actuator(2)) != requests[0])
        line.run(milliseconds: 100)
        let answered = line.events.compactMap { event -> RequestID? in
            if case .actuator(_, let request) = event { request } else { nil }
        }
        #expect(answered.count == 3 && answered.contains(requests[0]))
    }

    @Test func lostQueriesAreRepeated() {
        var line = ModelDeviceLink(seed: 5)
        line.connect()
        line.trouble = .portions(oneIn: 3)
        let requests = (0..<10 as Range<UInt8>).map { line.session.ask(.actuator($0)) }
        let isAnswered = line.run { line in
            requests.allSatisfy { request in
                line.events.contains { if case .actuator(_, request) = $0 { true } else { false } }
            }
        }
        #expect(isAnswered)
    }

    @Test func aQueryThatIsNeverAnsweredIsGivenUp() {
        var line = ModelDeviceLink()
        line.connect()
        line.device.answers = { $0 != .actuator(9) }
        let request = line.session.ask(.actuator(9))
        for _ in 0..<200 {
            line.session.ask(.status)  // keeps the connection alive
            line.run(milliseconds: 50)
        }
        #expect(line.events.contains(.unanswered(request)))
        #expect(line.session.phase == .open)
    }

    // MARK: Loss

    @Test func noSessionEndsTheSession() {
        var line = ModelDeviceLink()
        line.connect()
        line.device.reset()
        line.run(milliseconds: 10)
        #expect(line.events.last == .ended(.sessionLost(cause: .watchdog, bootCount: 2)))
        #expect(line.session.phase == .ended && line.session.nextDeadline == nil)
    }

    @Test func aSilentLinkIsDeadAfterASecond() {
        var line = ModelDeviceLink()
        line.connect()
        line.trouble = .portions(oneIn: 1)
        let request = line.session.send(gains(1)[0])
        let start = line.now
        line.run(untilEvent: { if case .ended(.silent) = $0 { true } else { false } })
        #expect(line.session.phase == .ended)
        #expect((1_000_000...1_010_000).contains(line.now - start))
        #expect(!line.events.contains(.carriedOut(request)))
    }

    @Test func anIdleLinkStaysOpen() {
        var line = ModelDeviceLink()
        line.connect()
        line.trouble = .portions(oneIn: 1)
        line.run(milliseconds: 5_000)
        #expect(line.session.phase == .open)
    }

    @Test(arguments: [nil, ClockSchedule()])
    func whatMayPlayReceivesAFrameEveryTenthOfASecond(_ clock: ClockSchedule?) {
        var line = ModelDeviceLink(clock: clock)
        line.connect()
        line.session.send(.open(Open(stream: 0, actuators: .init(index: 0))))
        line.session.send(
            .start(Start(stream: 0, isRelative: true, time: 1_000, scale: .nominal)))
        line.run(milliseconds: 5_000)
        var sent = line.session.statistics.bytesSent
        for _ in 0..<50 {
            line.run(milliseconds: 100)
            #expect(line.session.statistics.bytesSent > sent)
            sent = line.session.statistics.bytesSent
        }
    }

    @Test func aStreamThatIsNotStartedOrIsClosedIsLeftAlone() {
        var line = ModelDeviceLink()
        line.connect()
        line.session.send(.open(Open(stream: 0, actuators: .init(index: 0))))
        line.run(milliseconds: 50)
        line.events = []
        line.run(milliseconds: 1_000)
        #expect(line.events.isEmpty)
        line.session.send(
            .start(Start(stream: 0, isRelative: true, time: 1_000, scale: .nominal)))
        line.session.send(.close(stream: 0))
        line.run(milliseconds: 50)
        line.events = []
        line.run(milliseconds: 1_000)
        #expect(line.events.isEmpty)
    }
}

extension ModelDeviceLink {
    /// Returns the event that has reported the outcome of a command, or nil if the command is still
    /// pending.
    func verdict(on request: RequestID) -> LinkEvent? {
        events.first { event in
            switch event {
            case .carriedOut(request), .rejected(request, _), .dropped(request),
                .outcomeUnknown(request):
                true
            default: false
            }
        }
    }
}

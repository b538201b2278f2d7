import Testing

@testable import BridgeLink

@Suite struct LinkStopTests {
    private let open = Command.open(Open(stream: 0, actuators: .init(index: 0)))
    private let start = Command.start(Start(stream: 0, isRelative: true, time: 0))

    private func isStart(_ command: Command) -> Bool {
        if case .start = command { true } else { false }
    }

    @Test func aLostStartIsNeverCarriedOutAfterIt() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var line = ModelDeviceLink(seed: seed)
            line.connect()
            line.session.send(open)
            line.run(milliseconds: 20)
            line.trouble = .portions(oneIn: 1)  // START is lost completely
            let lost = line.session.send(start)
            line.run(milliseconds: 2)
            line.trouble = .bytes(oneIn: 50)
            let stop = line.session.stop()
            let isStopped = line.run { $0.events.contains(.stopped(stop)) }
            #expect(isStopped, "seed \(seed)")
            #expect(line.verdict(on: lost) == .dropped(lost))
            #expect(!line.device.carriedOut.contains(where: isStart), "seed \(seed)")
            #expect(line.device.stopCount == 1, "seed \(seed)")

            let again = line.session.send(open)
            let isOpen = line.run { $0.events.contains(.carriedOut(again)) }
            #expect(isOpen, "seed \(seed)")
            #expect(!line.device.carriedOut.contains(where: isStart), "seed \(seed)")
        }
    }

    @Test func whatIsSentAfterItWaitsForItsAnswer() {
        var line = ModelDeviceLink()
        line.connect()
        line.session.stop()
        line.session.send(open)
        let wire = line.session.nextOutput(limit: 1_000, at: line.now)
        #expect(wire.split(separator: 0).count == 1)
        line.run(milliseconds: 100)
        #expect(line.device.carriedOut == [open])
    }

    @Test func itIsRepeatedEvery20Milliseconds() {
        var line = ModelDeviceLink()
        line.connect()
        line.session.stop()
        var copies: [Microseconds] = []
        for step in 0..<100 as Range<Microseconds> {
            let now = line.now + step * 1_000
            if !line.session.nextOutput(limit: 128, at: now).isEmpty { copies.append(step) }
        }
        #expect(copies == [0, 20, 40, 60, 80])
    }

    @Test func itGoesBeforeEverythingThatWaits() {
        var line = ModelDeviceLink()
        line.connect()
        for _ in 0..<30 { line.session.send(.gain(Gain(actuators: .all, gain: 1))) }
        line.session.ask(.status)
        line.session.stop()
        let wire = line.session.nextOutput(limit: 1_000, at: line.now)
        var decoder = FrameDecoder(session: 0xCAFE_F00D)
        #expect(decoder.receive(wire).first?.type == .stop)
    }

    @Test func linkCreditOfLostFramesComesBack() {
        var line = ModelDeviceLink()
        line.connect()
        line.trouble = .portions(oneIn: 1)
        for _ in 0..<30 { line.session.send(.gain(Gain(actuators: .all, gain: 1))) }
        line.run(milliseconds: 15)
        line.trouble = .none
        line.session.stop()
        let next = line.session.send(open)
        line.run(milliseconds: 100)
        #expect(line.verdict(on: next) == .carriedOut(next))
        #expect(line.device.carriedOut == [open])
    }

    @Test func anUnfinishedFrameBeforeItDoesNoHarm() {
        var line = ModelDeviceLink()
        line.connect()
        line.device.receive([0x07, 0x20, 0x07])
        line.session.stop()
        line.device.receive(line.session.nextOutput(limit: 128, at: line.now))
        #expect(line.device.stopCount == 1)
    }

    @Test func twoInARowAreOneRequest() {
        var line = ModelDeviceLink()
        line.connect()
        let first = line.session.stop()
        let between = line.session.send(open)
        #expect(line.session.stop() == first)
        line.run(milliseconds: 50)
        #expect(line.verdict(on: between) == .dropped(between))
        #expect(line.device.stopCount == 1 && line.device.carriedOut.isEmpty)
        #expect(line.session.stop() != first)
    }

    @Test func countersContinueAcrossManyOfThem() {
        var line = ModelDeviceLink(seed: 9)
        line.connect()
        line.trouble = .bytes(oneIn: 100)
        for round in 0..<60 {
            for gain in 0..<10 as Range<UInt8> {
                line.session.send(.gain(Gain(actuators: .all, gain: gain)))
            }
            line.run(milliseconds: round % 7)
            let stop = line.session.stop()
            let isStopped = line.run { $0.events.contains(.stopped(stop)) }
            #expect(isStopped, "round \(round)")
        }
        let last = line.session.send(open)
        let isOpen = line.run { $0.events.contains(.carriedOut(last)) }
        #expect(isOpen)
        #expect(line.device.stopCount == 60)
    }

    @Test func mutesAreAnsweredInOrder() {
        var line = ModelDeviceLink(seed: 4)
        line.connect()
        line.trouble = .bytes(oneIn: 60)
        let requests = (0..<10).map { line.session.mute(.all, $0 % 2 == 0) }
        let isDone = line.run { $0.events.contains(.muted(requests.last!)) }
        #expect(isDone)
        let muted = line.events.compactMap { if case .muted(let id) = $0 { id } else { nil } }
        #expect(muted == requests)
    }
}

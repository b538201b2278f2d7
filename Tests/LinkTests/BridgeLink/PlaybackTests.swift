import Testing

@testable import BridgeLink

@Suite struct PlaybackTests {
    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    /// Returns a line on which the playback of `events` has begun.
    private func playing(
        _ events: [UInt8], seed: UInt64 = 1, start: Playback.StartTime = .after(20_000),
        prepare: (ModelDeviceLink) -> Void = { _ in }
    ) -> ModelDeviceLink {
        var line = ModelDeviceLink(seed: seed)
        line.connect()
        prepare(line)
        line.streamEnd = events.count
        line.playback = Playback(events: events, actuators: .init(index: 0), start: start)
        line.playback!.begin(&line.session, at: line.now)
        return line
    }

    private func outcome(_ line: inout ModelDeviceLink) -> Result<
        Playback.Completion, PlaybackError
    >? {
        _ = line.run(milliseconds: 60_000) { $0.playback?.outcome != nil }
        return line.playback?.outcome
    }

    @Test func playsAShortStreamToItsEnd() {
        var line = playing(bytes(40))
        #expect(outcome(&line) == .success(.played))
        #expect(line.device.eventBytes == bytes(40))
        #expect(line.playback!.progress.isClean)
        #expect(line.playback!.progress.position == 40 && line.playback!.progress.state == .ended)
        line.run(milliseconds: 20)
        #expect(line.device.carriedOut.last == .close(stream: 0))
    }

    @Test func aFaultOfBeforeIsNoneOfThisPlayback() {
        var line = playing(bytes(40)) { $0.device.faults = (2, .budget) }
        #expect(outcome(&line) == .success(.played))
        #expect(line.playback!.progress.isClean)
    }

    /// Checks that the fault is reported even if STATUS answers are lost, including the first
    /// answer.
    @Test(arguments: [0, 1, 2])
    func anEarlierFaultThatHappensAgainIsReported(lost: Int) {
        var line = playing(bytes(40)) {
            $0.device.faults = (2, .budget)
            $0.device.nextFaults = .budget
            var count = lost
            $0.device.answers = { query in
                guard case .status = query, count > 0 else { return true }
                count -= 1
                return false
            }
        }
        #expect(outcome(&line) == .success(.played))
        #expect(line.playback!.progress.faults == .budget)
        #expect(!line.playback!.progress.isClean)
    }

    /// The arguments `before` and `meanwhile` each contain the number of late writes and the
    /// maximum lateness in microseconds.
    @Test(
        arguments: [
            ((0, 0), (0, 0), 0, 0),
            ((0, 0), (0, 352), 352, 352),
            ((0, 352), (0, 352), nil, 352),
            ((3, 2_352), (3, 2_352), nil, 1_000),
            ((3, 2_352), (4, 2_352), nil, 2_352),
            ((3, 2_352), (4, 2_500), 2_500, 2_500),
        ] as [((UInt16, UInt32), (UInt16, UInt32), UInt32?, UInt32)])
    func aLatenessOfBeforeIsNoneOfThisPlayback(
        before: (UInt16, UInt32), meanwhile: (UInt16, UInt32), latest: UInt32?, atMost: UInt32
    ) {
        var line = playing(bytes(2_000)) { $0.device.lateness = before }
        _ = line.run { $0.playback?.phase == .playing }
        line.device.lateness = meanwhile
        #expect(outcome(&line) == .success(.played))
        #expect(line.playback!.progress.latest == latest)
        #expect(line.playback!.progress.latestAtMost == atMost)
    }

    /// Checks the simultaneous loss of several REJECT messages, including the REJECT of OPEN or
    /// START.
    @Test(
        arguments: [(.opening, .unanswered), (.starting, .closedByDevice([]))]
            as [(Playback.Phase, PlaybackError)])
    func aVerdictThatIsLostEndsItAndGivesTheStreamBack(
        phase: Playback.Phase, error: PlaybackError
    ) throws {
        var line = playing(bytes(40))
        _ = line.run { $0.playback?.phase == phase }
        let decisive = try #require(line.playback?.decisive)
        line.playback!.handle(.outcomeUnknown(decisive), &line.session, at: line.now)
        #expect(outcome(&line) == .failure(error))
        line.run(milliseconds: 20)
        #expect(line.device.carriedOut.last == .close(stream: 0))
    }

    @Test func aStartBeforeTheCommandIsANegativeTime() {
        var line = playing(bytes(40), start: .after(-5_000))
        #expect(outcome(&line) == .success(.played))
        let times = line.device.carriedOut.compactMap { command -> UInt32? in
            if case .start(let start) = command { start.time } else { nil }
        }
        #expect(times == [0xFFFF_EC78])
    }

    @Test func startsWhenMemoryIsFullAndNotBefore() {
        var line = playing(bytes(2_000))
        _ = line.run { $0.playback?.phase == .playing }
        #expect(line.device.eventBytes.count >= 512)
        #expect(line.device.carriedOut.contains { if case .start = $0 { true } else { false } })
    }

    @Test func feedsAStreamLongerThanMemoryWithoutADryMoment() {
        var line = playing(bytes(5_000))
        #expect(outcome(&line) == .success(.played))
        #expect(line.device.eventBytes == bytes(5_000))
        #expect(!line.device.hasCreditError)
        let states = line.events.compactMap { event in
            if case .stream(let stream, _) = event { stream.state } else { nil }
        }
        #expect(!states.contains(.dry))
        #expect(line.unsentMax <= 128)
    }

    @Test func eventTotalsWrap() {
        var line = playing(bytes(70_000)) { $0.device.pace = 10 }
        #expect(outcome(&line) == .success(.played))
        #expect(line.device.eventBytes == bytes(70_000))
        #expect(!line.device.hasCreditError)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func deliversEveryByteOnABadLine(_ seed: UInt64) {
        var line = playing(bytes(3_000), seed: seed)
        line.trouble = .bytes(oneIn: 211)
        #expect(outcome(&line) == .success(.played))
        #expect(line.device.eventBytes == bytes(3_000))
        #expect(!line.device.hasCreditError)
    }

    @Test func aSmallMemoryIsFilledAgainAndAgain() {
        var line = playing(bytes(600)) { $0.device.memory = 24 }
        #expect(outcome(&line) == .success(.played))
        #expect(line.device.eventBytes == bytes(600))
    }

    @Test(arguments: [(ActuatorState.unconfigured, RejectCode.unconfigured), (.fault, .fault)])
    func namesTheActuatorThatCannotPlay(_ state: ActuatorState, _ code: RejectCode) {
        var line = playing(bytes(40)) { line in
            line.device.actuatorState = state
            line.device.rejectCode = { if case .open = $0 { code } else { nil } }
        }
        #expect(outcome(&line) == .failure(.actuatorNotReady(index: 0, state: state)))
    }

    @Test func saysWhyItIsRejected() {
        var line = playing(bytes(40)) { line in
            line.device.rejectCode = { if case .open = $0 { .inUse } else { nil } }
        }
        #expect(outcome(&line) == .failure(.rejected(Reject(type: .open, code: .inUse))))

        line = playing(bytes(40)) { line in
            line.device.rejectCode = { if case .events = $0 { .credit } else { nil } }
        }
        #expect(outcome(&line) == .failure(.rejected(Reject(type: .events, code: .credit))))

        line = playing(bytes(40), start: .after(0)) { line in
            line.device.rejectCode = { if case .start = $0 { .time } else { nil } }
        }
        #expect(outcome(&line) == .failure(.rejected(Reject(type: .start, code: .time))))
        line.run(milliseconds: 20)
        #expect(line.device.carriedOut.last == .close(stream: 0))
    }

    @Test func aStreamWithoutEndFails() {
        var line = playing(bytes(40))
        line.streamEnd = nil
        #expect(outcome(&line) == .failure(.endMissing))
    }

    @Test func stopsAndComesToRest() {
        var line = playing(bytes(2_000))
        _ = line.run { $0.playback?.phase == .playing }
        line.playback!.stop(&line.session, at: line.now)
        line.run(milliseconds: 50)
        #expect(line.playback!.outcome == nil, "the actuator has not come to rest")
        line.device.actuatorState = .atRest
        #expect(outcome(&line) == .success(.stopped))
        #expect(line.device.stopCount == 1)
    }

    @Test func noticesTheStopOfSomebodyElse() {
        var line = playing(bytes(2_000))
        _ = line.run { $0.playback?.phase == .playing }
        line.session.stop()
        line.device.actuatorState = .atRest
        #expect(outcome(&line) == .success(.stopped))
    }

    @Test func endsWithTheSession() {
        var line = playing(bytes(2_000))
        _ = line.run { $0.playback?.phase == .playing }
        line.device.reset()
        let loss = LinkEnd.sessionLost(cause: .watchdog, bootCount: 2)
        #expect(outcome(&line) == .failure(.link(loss)))
    }
}

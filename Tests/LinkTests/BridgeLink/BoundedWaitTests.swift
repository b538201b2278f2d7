// Tests of the bounds of a session: every wait ends, and all queues have a maximum size.

import Testing

@testable import BridgeLink

@Suite struct BoundedWaitTests {
    /// Returns an open session. The other end does not respond.
    private func openSession() -> (session: LinkSession, now: HostTime) {
        var line = ModelDeviceLink()
        line.connect()
        return (line.session, line.now)
    }

    /// Lets a session send its queued messages. Returns the number of microseconds until the
    /// session ends, or nil if it does not end within two minutes. If `isHeard` is true, the
    /// session occasionally receives a frame.
    private func end(
        of session: inout LinkSession, from start: HostTime, hearing isHeard: Bool = true
    ) -> Microseconds? {
        for now in stride(from: start, to: start + 120_000_000, by: 5_000) {
            session.poll(at: now)
            if session.phase == .ended { return now - start }
            _ = session.nextOutput(limit: 1_000, at: now)
            if isHeard { session.unansweredSince = nil }
        }
        return nil
    }

    @Test func aStopIsTriedForASecond() throws {
        var (session, now) = openSession()
        session.stop()
        let time = try #require(end(of: &session, from: now))
        #expect((950_000...1_100_000).contains(time))
        #expect(session.endReason == .silent(1_000_000))
    }

    @Test func aMuteIsTriedForASecond() throws {
        var (session, now) = openSession()
        session.mute(ActuatorMask(index: 0))
        let time = try #require(end(of: &session, from: now))
        #expect((950_000...1_100_000).contains(time))
    }

    @Test func aCommandIsTriedAHundredTimes() throws {
        var (session, now) = openSession()
        session.send(.close(stream: 0))
        let time = try #require(end(of: &session, from: now))
        #expect(time > 2_000_000)
        #expect(session.endReason == .silent(time))
    }

    @Test func theSilenceOfADeviceEndsTheSession() throws {
        var (session, now) = openSession()
        session.ask(.status)
        let time = try #require(end(of: &session, from: now, hearing: false))
        #expect((990_000...1_010_000).contains(time))
    }

    @Test func timeInWhichNobodyLooksIsNoSilence() throws {
        var (session, now) = openSession()
        session.ask(.status)
        _ = session.nextOutput(limit: 1_000, at: now)
        session.poll(at: now + 10_000)
        session.poll(at: now + 3_600_000_000)
        #expect(session.phase == .open)
        let time = try #require(end(of: &session, from: now + 3_600_000_000, hearing: false))
        #expect(time < 1_100_000, "but the time after the next poll counts as silence")
    }

    @Test func ofSeveralMutingsTheNewestIsSaid() {
        var urgent = UrgentRequests()
        let (one, other) = (ActuatorMask(index: 0), ActuatorMask(index: 1))
        for number in 0..<200 {
            urgent.addMute(
                RequestID(number: UInt64(number)), actuators: one, isMuted: number == 199)
        }
        urgent.addMute(RequestID(number: 200), actuators: other, isMuted: true)
        var said: [[UInt8]] = []
        var told: [RequestID] = []
        while case .frame(let frame) = urgent.nextFrame(limit: 100, every: 20, at: 0) {
            said.append(Array(frame.payload.dropFirst()))
            told += urgent.muted(id: frame.payload[0])
        }
        #expect(said == [[1, 0, 1], [2, 0, 1]])
        #expect(Set(told).count == 201 && told.count == 201)
    }

    @Test func aMutingThatIsOnItsWayIsNotTakenBack() {
        var urgent = UrgentRequests()
        let mask = ActuatorMask(index: 0)
        urgent.addMute(RequestID(number: 1), actuators: mask, isMuted: true)
        guard case .frame(let first) = urgent.nextFrame(limit: 100, every: 20, at: 0) else {
            Issue.record("no MUTE is sent")
            return
        }
        urgent.addMute(RequestID(number: 2), actuators: mask, isMuted: false)
        #expect(urgent.muted(id: first.payload[0]) == [RequestID(number: 1)])
        guard case .frame(let second) = urgent.nextFrame(limit: 100, every: 20, at: 0) else {
            Issue.record("the second MUTE is not sent")
            return
        }
        #expect(urgent.muted(id: second.payload[0]) == [RequestID(number: 2)])
    }

    @Test func rejectsThatAreCountedAndNeverReceivedAreNotWaitedForForEver() {
        var verdicts = PendingResults()
        var settled = 0
        for number in 0..<10_000 {
            let command = Command.close(stream: 0)
            verdicts.append([
                SendWindow.Entry(
                    id: RequestID(number: UInt64(number)), command: command,
                    frame: Frame(.command(command)), departure: 0, sentAt: 0)
            ])
            verdicts.recordCount(UInt8(number / 129 + 1 & 0xFF))
            verdicts.giveUpIfFull()
            settled += verdicts.removeSettled().count
        }
        #expect(settled > 9_800)
    }
}

import Testing

@testable import BridgeLink

@Suite struct PendingResultsTests {
    @Test func severalLostRejectsAreReportedAsNotKnown() {
        var rejects = Rejects(commands: 3)
        rejects.acknowledge(3, rejects: 2)
        #expect(rejects.asked == [.getStatus])
        rejects.status(repeats: 2, rejects: 2)
        #expect(rejects.verdicts == ["rejected 2", "lost 0", "lost 1"])
    }

    @Test func aRejectThatIsOvertakenByANewerOneIsReportedAsNotKnown() {
        var rejects = Rejects(commands: 3)
        rejects.reject(2)
        rejects.acknowledge(3, rejects: 2)
        #expect(rejects.asked == [.getStatus])
        rejects.status(repeats: 2, rejects: 2)
        #expect(rejects.verdicts == ["rejected 2", "lost 0", "lost 1"])
    }

    @Test func whatIsNotAcknowledgedYetMayBeWhatALostRejectWasAbout() {
        var rejects = Rejects(commands: 2)
        rejects.reject(1)
        rejects.status(repeats: 1, rejects: 2)
        #expect(rejects.verdicts == ["rejected 1"])
        rejects.acknowledge(2, rejects: 2)
        #expect(rejects.asked == [.getStatus])
        rejects.status(repeats: 1, rejects: 2)
        #expect(rejects.verdicts == ["rejected 1", "lost 0"])
    }

    /// Checks an unsolicited STATUS that the device sends just before the REJECT. This STATUS must
    /// not determine the outcome, because it contains no limit.
    @Test func aStatusThatNobodyAskedForGivesNoVerdict() {
        var rejects = Rejects(commands: 1)
        rejects.status(repeats: 0, rejects: 1)
        #expect(rejects.verdicts == [])
        rejects.reject(0)
        #expect(rejects.verdicts == ["rejected 0"])
    }

    @Test func aRejectThatStatusOvertakesCountsOnce() {
        var rejects = Rejects(commands: 2)
        rejects.status(repeats: 0, rejects: 1)
        rejects.reject(0)
        rejects.acknowledge(2, rejects: 2)
        #expect(rejects.verdicts == ["rejected 0"])
        #expect(rejects.asked == [.getStatus])
        rejects.status(repeats: 1, rejects: 2)
        #expect(rejects.verdicts == ["rejected 0", "rejected 1"])
    }
}

/// A session that has sent commands, and a device that reports which commands it has rejected.
private struct Rejects {
    private var line = ModelDeviceLink()
    private var requests: [RequestID] = []
    private let encoder = FrameEncoder(session: 0xCAFE_F00D)
    /// The types of the frames that the session has sent after the commands.
    private(set) var asked: [MessageType] = []
    /// The outcomes of the commands, in the order in which the session reported them.
    private(set) var verdicts: [String] = []

    init(commands: Int) {
        line.connect()
        for _ in 0..<commands {
            requests.append(line.session.send(.gain(Gain(actuators: .init(rawValue: 1), gain: 9))))
        }
        _ = line.session.nextOutput(limit: 1_000, at: line.now)
    }

    mutating func acknowledge(_ next: UInt8, rejects: UInt8) {
        say(Frame(.acknowledge(Acknowledge(nextSequence: next, linkLimit: 300, rejects: rejects))))
    }

    mutating func reject(_ sequence: UInt8) {
        say(Frame(.reject(Reject(type: .gain, code: .range)), sequence: sequence))
    }

    mutating func status(repeats sequence: UInt8, rejects: UInt8) {
        let payload =
            [UInt8](repeating: 0, count: 22) + [
                sequence, MessageType.gain.rawValue, RejectCode.range.rawValue, rejects, 255, 0, 0,
                0, 0,
            ]
        say(Frame(type: .status, sequence: 1, payload: payload))
    }

    private mutating func say(_ frame: Frame) {
        line.session.receive(encoder.encode(frame), at: line.now)
        var decoder = FrameDecoder(session: 0xCAFE_F00D)
        asked += decoder.receive(line.session.nextOutput(limit: 1_000, at: line.now)).map(\.type)
        while let event = line.session.nextEvent() {
            switch event {
            case .rejected(let request, _): record("rejected", request)
            case .outcomeUnknown(let request): record("lost", request)
            case .carriedOut(let request): record("carried out", request)
            default: break
            }
        }
    }

    private mutating func record(_ verdict: String, _ request: RequestID) {
        verdicts.append("\(verdict) \(requests.firstIndex(of: request)!)")
    }
}

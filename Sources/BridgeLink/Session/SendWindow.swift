// SendWindow: numbers sequenced messages, respects the device's credit, and sends the messages
// again until they are acknowledged (SPEC 4.4).

/// The sequenced messages that are waiting for link credit or for their acknowledgment.
struct SendWindow: Sendable {
    struct Entry: Sendable {
        let id: RequestID
        let command: Command
        let frame: Frame
        /// The number of the departure that carried the first copy of the frame.
        let departure: Int
        var sentAt: HostTime
        var wasSentAgain = false
        var wasRejected = false
        /// True if the command may have been rejected although no REJECT was reported.
        var isDoubtful = false
    }

    private struct Waiting: Sendable {
        let id: RequestID
        let command: Command
    }

    /// The sequence number of the next frame that is sent for the first time.
    private(set) var nextSequence: UInt8 = 0
    /// The number of wire bytes in all frames, modulo 65,536. Repeated frames are counted only
    /// once.
    private(set) var linkTotal: UInt16 = 0
    /// The maximum value that the running total `linkTotal` may reach.
    private(set) var linkLimit: UInt16 = 0
    /// The frames that were sent but not acknowledged, oldest first.
    private(set) var outstanding: [Entry] = []
    /// True while a STOP is unanswered. No sequenced frame is sent during this time, so that the
    /// counters in the STOP remain correct.
    var isHeld = false
    /// True if the next frame cannot be sent until the device is certain to have read the earlier
    /// frames. In that case, a query is due, because the answer to the query proves that the device
    /// has read the earlier frames.
    private(set) var needsProof = false

    private var linkWindow: UInt16 = 0
    private var waiting: [Waiting] = []
    private var departures = Departures()
    /// The index of the first outstanding frame that must still be sent again in this pass.
    private var cursor = 0
    /// True if, after a timeout, only the oldest frame is sent again until an answer arrives.
    private var isAlone = false
    /// The number of frames that have been acknowledged since a frame was last sent again.
    private var lossless = SendWindow.losslessMin
    /// The minimum value of `lossless` for a line that is considered good.
    private static let losslessMin = 32
    /// The number of frames that have been acknowledged since the start, counted up to
    /// `acknowledgedMin`.
    private var acknowledged = 0
    /// The minimum number of acknowledged frames that is needed to judge the quality of the line.
    private static let acknowledgedMin = 4
    private var lastProgress: HostTime = 0
    private var lastGap: (sequence: UInt8, at: HostTime)?
    /// The number of times the window has restarted from its current oldest frame.
    private var restarts = 0

    /// The maximum number of outstanding frames. With more frames, the device could mistake the
    /// next sequence number of a STOP, or a frame after a missing frame, for a number that it has
    /// already passed (SPEC 4.3).
    private static let outstandingMax = 127
    /// The maximum number of restarts from the same frame. On a line that transfers only one frame
    /// in ten, one frame in 40,000 requires this number of restarts.
    private static let restartsMax = 100

    /// True if the oldest frame has been sent so often that the device evidently does not accept
    /// it.
    var isStuck: Bool { restarts > Self.restartsMax }
    /// The time at which a frame was last acknowledged or, if no frame has been acknowledged since
    /// the window was last empty, at which the first outstanding frame was sent.
    private(set) var lastTaken: HostTime = 0

    /// Records that the device has accepted the session, and that it can buffer `linkWindow` unread
    /// bytes.
    mutating func start(linkWindow: UInt16) {
        self.linkWindow = linkWindow
        linkLimit = linkTotal &+ linkWindow
    }

    mutating func append(_ command: Command, id: RequestID) {
        waiting.append(Waiting(id: id, command: command))
    }

    /// The number of messages that are waiting for credit or for the line.
    var waitingCount: Int { waiting.count }

    // MARK: Sending

    /// Returns the next frame to send, provided that it takes at most `limit` bytes on the wire.
    mutating func nextFrame(limit: Int, at now: HostTime) -> SendStep {
        departures.expire(at: now)
        needsProof = false
        if isHeld || isAlone && cursor > 0 { return .nothing }
        return cursor < outstanding.count
            ? repeatFrame(limit: limit, at: now) : newFrame(limit: limit, at: now)
    }

    /// The number of additional wire bytes that are certain to fit into the device's buffer.
    var room: Int { Int(linkWindow) - departures.unreadBytes }

    /// Returns the step to take instead of sending a frame, because no frame can be sent now; nil
    /// if a frame can be sent.
    private mutating func obstacle(to frame: Frame, limit: Int) -> SendStep? {
        needsProof = frame.wireSize > room
        if needsProof { return .nothing }
        return frame.wireSize > limit ? .tooLong : nil
    }

    private mutating func repeatFrame(limit: Int, at now: HostTime) -> SendStep {
        let frame = outstanding[cursor].frame
        guard isWithinShare(frame, behind: cursor) else { return .nothing }
        if let obstacle = obstacle(to: frame, limit: limit) { return obstacle }
        departures.append(size: frame.wireSize, at: now)
        outstanding[cursor].sentAt = now
        outstanding[cursor].wasSentAgain = true
        lossless = 0
        cursor += 1
        return .frame(frame)
    }

    private mutating func newFrame(limit: Int, at now: HostTime) -> SendStep {
        guard let next = waiting.first, outstanding.count < Self.outstandingMax else {
            return .nothing
        }
        let frame = Frame(.command(next.command), sequence: nextSequence)
        guard frame.wireSize <= Int(linkLimit &- linkTotal) else { return .nothing }
        guard isWithinShare(frame, behind: outstanding.count) else { return .nothing }
        if let obstacle = obstacle(to: frame, limit: limit) { return obstacle }
        waiting.removeFirst()
        if outstanding.isEmpty { (lastProgress, lastTaken) = (now, now) }
        let departure = departures.append(size: frame.wireSize, at: now)
        outstanding.append(
            Entry(
                id: next.id, command: next.command, frame: frame, departure: departure, sentAt: now)
        )
        cursor = outstanding.count
        nextSequence &+= 1
        linkTotal &+= UInt16(frame.wireSize)
        return .frame(frame)
    }

    /// Returns whether a frame may be sent in addition to the first `count` outstanding frames. On
    /// a line that loses frames, outstanding frames may fill at most a third of the device's
    /// buffer: if a frame is lost, the frames after it are also lost, and the buffer must have room
    /// for two more copies of all these frames.
    private func isWithinShare(_ frame: Frame, behind count: Int) -> Bool {
        guard lossless < Self.losslessMin, count > 0 else { return true }
        let sizes = outstanding[..<count].reduce(frame.wireSize) { $0 + $1.frame.wireSize }
        return sizes <= Int(linkWindow) / 3
    }

    /// True if enough frames have been acknowledged to judge the quality of the line.
    var isLineKnown: Bool { acknowledged >= Self.acknowledgedMin }

    // MARK: Acknowledgement

    /// Processes the sequence number and the credit of an ACK. Returns the frames that the ACK
    /// acknowledges, oldest first. Returns no frames if the ACK refers to frames that were never
    /// sent.
    mutating func acknowledge(_ ack: Acknowledge, at now: HostTime) -> [Entry] {
        let oldest = nextSequence &- UInt8(outstanding.count)
        let count = Int(ack.nextSequence &- oldest)
        guard !isHeld, count <= outstanding.count else { return [] }
        if Int16(bitPattern: ack.linkLimit &- linkLimit) > 0 { linkLimit = ack.linkLimit }
        if count > 0 {
            (lastProgress, lastTaken, restarts) = (now, now, 0)
            recordRead(outstanding[count - 1].departure)
            lossless = min(lossless + count, Self.losslessMin)
            acknowledged = min(acknowledged + count, Self.acknowledgedMin)
        }
        defer {
            outstanding.removeFirst(count)
            cursor = max(0, cursor - count)
        }
        return Array(outstanding.prefix(count))
    }

    /// Marks the unacknowledged command that a REJECT refers to. Returns the command if it had not
    /// been marked before.
    mutating func reject(_ type: MessageType, sequence: UInt8) -> Entry? {
        let index = outstanding.firstIndex {
            $0.frame.sequence == sequence && $0.frame.type == type && !$0.wasRejected
        }
        guard let index else { return nil }
        outstanding[index].wasRejected = true
        return outstanding[index]
    }

    /// Marks every unacknowledged command as possibly rejected, because some REJECTs were never
    /// reported.
    mutating func doubtAll() {
        for index in outstanding.indices { outstanding[index].isDoubtful = true }
    }

    /// Resumes sending from the oldest unacknowledged frame, unless this was already done for the
    /// same gap less than `echoTime` ago. Returns whether sending was restarted.
    mutating func goBack(echoTime: Microseconds, at now: HostTime) -> Bool {
        // If the cursor is 0, sending has already been restarted, and no frame has been sent since.
        guard let oldest = outstanding.first, !isHeld, cursor > 0 else { return false }
        if let gap = lastGap, gap.sequence == oldest.frame.sequence, now - gap.at < echoTime {
            return false
        }
        restart(at: now)
        return true
    }

    /// Resumes sending from the oldest unacknowledged frame if no frame was acknowledged for
    /// `timeout`. Returns whether sending was restarted.
    mutating func goBackIfOverdue(timeout: Microseconds, at now: HostTime) -> Bool {
        guard let overdue = overdueTime(timeout: timeout), now >= overdue else { return false }
        restart(at: now)
        isAlone = true
        return true
    }

    /// Returns the time at which the window must act next; nil if no action is pending.
    func deadline(timeout: Microseconds) -> HostTime? {
        let expiry = needsProof ? departures.expiry : nil
        return [overdueTime(timeout: timeout), expiry].compactMap { $0 }.min()
    }

    /// Returns the time at which `goBackIfOverdue` will act; nil if no timeout applies at present.
    private func overdueTime(timeout: Microseconds) -> HostTime? {
        guard cursor > 0, !isHeld,
            cursor == outstanding.count || isAlone
                || !isWithinShare(outstanding[cursor].frame, behind: cursor)
        else { return nil }
        return max(lastProgress, outstanding[cursor - 1].sentAt) + timeout
    }

    private mutating func restart(at now: HostTime) {
        lastGap = outstanding.first.map { ($0.frame.sequence, now) }
        restarts += 1
        lastProgress = now
        cursor = 0
    }

    // MARK: The device's buffer

    /// The number of the latest departure. An answer to any message that is sent now proves that
    /// the device has read that departure.
    var newestDeparture: Int { departures.newest }

    /// Counts delimiters that the session itself sends.
    mutating func recordPadding(_ count: Int, at now: HostTime) {
        if count > 0 { departures.append(size: count, at: now) }
    }

    /// Records that the device has read a departure and all departures before it.
    mutating func recordRead(_ departure: Int) {
        departures.recordRead(departure)
        isAlone = false
    }

    // MARK: STOP (SPEC 4.3)

    /// Removes and returns all messages that have not been acknowledged, and holds back new
    /// messages.
    mutating func dropAll() -> [RequestID] {
        defer {
            outstanding.removeAll()
            waiting.removeAll()
            (cursor, restarts) = (0, 0)
            isHeld = true
        }
        return outstanding.filter { !$0.wasRejected }.map { $0.id } + waiting.map { $0.id }
    }

    /// Records that STOP was answered, so that the device has adopted the host's counters.
    mutating func rebase() {
        isHeld = false
        recordRead(newestDeparture)
        linkLimit = linkTotal &+ linkWindow
    }
}

/// The next step of a queue: either a frame to send, or the reason why no frame can be sent.
enum SendStep {
    case frame(Frame)
    /// A frame is ready, but does not fit on the wire at the moment.
    case tooLong
    case nothing
}

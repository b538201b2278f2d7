// SendWindow: sequenced messages on their way: numbered, credited, acknowledged, sent again
// (SPEC 4.4).

/// Sequenced messages that wait for link credit or for their acknowledgement.
struct SendWindow: Sendable {
    struct Entry: Sendable {
        let id: RequestID
        let command: Command
        let frame: Frame
        /// The number of its first departure.
        let departure: Int
        var sentAt: Microseconds
        var wasSentAgain = false
        var wasRejected = false
        /// Whether it may be one of those whose REJECT was never told.
        var isDoubtful = false
    }

    private struct Waiting: Sendable {
        let id: RequestID
        let command: Command
    }

    /// The sequence of the next new frame.
    private(set) var nextSequence: UInt8 = 0
    /// Wire bytes of all frames sent once, modulo 65,536.
    private(set) var linkTotal: UInt16 = 0
    /// How far `linkTotal` may go.
    private(set) var linkLimit: UInt16 = 0
    /// Frames sent and not acknowledged, oldest first.
    private(set) var outstanding: [Entry] = []
    /// While a STOP is unanswered no sequenced frame leaves: its counters must stay true.
    var isHeld = false
    /// Whether a frame waits only until the device has surely read what was sent before: a query
    /// whose answer says so is due.
    private(set) var needsProof = false

    private var linkWindow: UInt16 = 0
    private var waiting: [Waiting] = []
    private var departures = Departures()
    /// The first outstanding frame that is still to be sent in this pass.
    private var cursor = 0
    /// After a time-out the oldest frame is sent again alone, until an answer comes.
    private var isAlone = false
    private var lastProgress: Microseconds = 0
    private var lastGap: (sequence: UInt8, at: Microseconds)?
    /// How often the oldest frame was gone back to.
    private var restarts = 0

    /// More would make the device's "ahead by 1 to 127" ambiguous (SPEC 4.3).
    private static let outstandingMax = 127
    /// On a line that lets one frame in ten through, one in 40,000 is lost so often.
    private static let restartsMax = 100

    /// Whether a frame was sent so often that the device does not take it.
    var isStuck: Bool { restarts > Self.restartsMax }
    /// When a frame was acknowledged last, or the first of all was sent.
    private(set) var lastTaken: Microseconds = 0

    /// The device has adopted the session and takes `linkWindow` bytes.
    mutating func start(linkWindow: UInt16) {
        self.linkWindow = linkWindow
        linkLimit = linkTotal &+ linkWindow
    }

    mutating func append(_ command: Command, id: RequestID) {
        waiting.append(Waiting(id: id, command: command))
    }

    /// Whether nothing waits for credit, so that what is appended now leaves soon.
    var isClear: Bool { waiting.isEmpty }

    // MARK: Sending

    /// The next frame to put on the wire, if it has at most `limit` bytes there.
    mutating func nextFrame(limit: Int, at now: Microseconds) -> SendStep {
        departures.expire(at: now)
        needsProof = false
        if isHeld || isAlone && cursor > 0 { return .nothing }
        return cursor < outstanding.count
            ? repeatFrame(limit: limit, at: now) : newFrame(limit: limit, at: now)
    }

    /// Wire bytes that the device's buffer surely has room for.
    var room: Int { Int(linkWindow) - departures.unreadBytes }

    /// The step that stands for a frame which cannot leave now; nil if it can.
    private mutating func obstacle(to frame: Frame, limit: Int) -> SendStep? {
        needsProof = frame.wireSize > room
        if needsProof { return .nothing }
        return frame.wireSize > limit ? .tooLong : nil
    }

    private mutating func repeatFrame(limit: Int, at now: Microseconds) -> SendStep {
        let frame = outstanding[cursor].frame
        if let obstacle = obstacle(to: frame, limit: limit) { return obstacle }
        departures.append(size: frame.wireSize, at: now)
        outstanding[cursor].sentAt = now
        outstanding[cursor].wasSentAgain = true
        cursor += 1
        return .frame(frame)
    }

    private mutating func newFrame(limit: Int, at now: Microseconds) -> SendStep {
        guard let next = waiting.first, outstanding.count < Self.outstandingMax else {
            return .nothing
        }
        let frame = Frame(.command(next.command), sequence: nextSequence)
        guard frame.wireSize <= Int(linkLimit &- linkTotal) else { return .nothing }
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

    // MARK: Acknowledgement

    /// Takes an ACK's sequence and credit. Returns the frames that it acknowledges, oldest first;
    /// nothing if it speaks of frames that were never sent.
    mutating func acknowledge(_ ack: Acknowledge, at now: Microseconds) -> [Entry] {
        let oldest = nextSequence &- UInt8(outstanding.count)
        let count = Int(ack.nextSequence &- oldest)
        guard !isHeld, count <= outstanding.count else { return [] }
        if Int16(bitPattern: ack.linkLimit &- linkLimit) > 0 { linkLimit = ack.linkLimit }
        if count > 0 {
            (lastProgress, lastTaken, restarts) = (now, now, 0)
            noteRead(outstanding[count - 1].departure)
        }
        defer {
            outstanding.removeFirst(count)
            cursor = max(0, cursor - count)
        }
        return Array(outstanding.prefix(count))
    }

    /// Marks the unacknowledged command that a REJECT is about. Returns it, the first time.
    mutating func reject(_ type: MessageType, sequence: UInt8) -> Entry? {
        let index = outstanding.firstIndex {
            $0.frame.sequence == sequence && $0.frame.type == type && !$0.wasRejected
        }
        guard let index else { return nil }
        outstanding[index].wasRejected = true
        return outstanding[index]
    }

    /// REJECTs were never told: each unacknowledged command may be what one of them was about.
    mutating func doubtAll() {
        for index in outstanding.indices { outstanding[index].isDoubtful = true }
    }

    /// Goes back to the oldest unacknowledged frame, unless it did so for this gap less than
    /// `echoTime` ago.
    mutating func goBack(echoTime: Microseconds, at now: Microseconds) -> Bool {
        guard let oldest = outstanding.first, !isHeld else { return false }
        if let gap = lastGap, gap.sequence == oldest.frame.sequence, now - gap.at < echoTime {
            return false
        }
        restart(at: now)
        return true
    }

    /// Goes back if nothing was acknowledged for `timeout`.
    mutating func goBackIfOverdue(timeout: Microseconds, at now: Microseconds) -> Bool {
        guard let overdue = overdueTime(timeout: timeout), now >= overdue else { return false }
        restart(at: now)
        isAlone = true
        return true
    }

    /// The next time at which the window has something to do by itself; nil if nothing is under way.
    func deadline(timeout: Microseconds) -> Microseconds? {
        let expiry = needsProof ? departures.expiry : nil
        return [overdueTime(timeout: timeout), expiry].compactMap { $0 }.min()
    }

    /// The time at which `goBackIfOverdue` acts; nil if nothing is under way.
    private func overdueTime(timeout: Microseconds) -> Microseconds? {
        guard cursor > 0, cursor == outstanding.count || isAlone, !isHeld else { return nil }
        return max(lastProgress, outstanding[cursor - 1].sentAt) + timeout
    }

    private mutating func restart(at now: Microseconds) {
        lastGap = outstanding.first.map { ($0.frame.sequence, now) }
        restarts += 1
        lastProgress = now
        cursor = 0
    }

    // MARK: The device's buffer

    /// The number of the newest departure: an answer to what is sent now proves it read.
    var newestDeparture: Int { departures.newest }

    /// Takes delimiters that the session itself sends.
    mutating func notePadding(_ count: Int, at now: Microseconds) {
        if count > 0 { departures.append(size: count, at: now) }
    }

    /// The device has read a departure, and all before it.
    mutating func noteRead(_ departure: Int) {
        departures.noteRead(departure)
        isAlone = false
    }

    // MARK: STOP (SPEC 4.3)

    /// Forgets every message that is not acknowledged and holds those to come. Returns the forgotten.
    mutating func dropAll() -> [RequestID] {
        defer {
            outstanding.removeAll()
            waiting.removeAll()
            (cursor, restarts) = (0, 0)
            isHeld = true
        }
        return outstanding.filter { !$0.wasRejected }.map(\.id) + waiting.map(\.id)
    }

    /// STOP was answered: the device goes on from this side's counters.
    mutating func rebase() {
        isHeld = false
        noteRead(newestDeparture)
        linkLimit = linkTotal &+ linkWindow
    }
}

/// What a queue has for the wire.
enum SendStep {
    case frame(Frame)
    /// There is a frame, but the wire has no room for it now.
    case tooLong
    case nothing
}

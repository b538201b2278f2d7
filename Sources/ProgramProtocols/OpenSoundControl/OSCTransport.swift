// OSCTransport: the position of a sender on its timeline, and the clip that is waiting for a
// position.

/// A clip, and the position on the sender's timeline at which it is played.
///
/// The text of a clip contains the envelopes as a JSON object. A heading may precede the object:
/// either `SendTime: ` and a position in seconds, or `name: ` and a name. Further lines may follow
/// the name.
struct OSCClip: Sendable, Equatable {
    /// The envelopes as JSON.
    let envelopes: String
    /// The position on the sender's timeline, in seconds; nil to play the clip immediately.
    let position: Double?

    /// Reads the text of a clip. Returns nil if the text has any other heading, or if the position
    /// is not a number.
    init?(_ text: String) {
        if text.utf8.first == UInt8(ascii: "{") {
            (envelopes, position) = (text, nil)
            return
        }
        // The heading ends at the start of the object.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first,
            let start = lines.dropFirst().firstIndex(where: { $0.hasPrefix("{") })
        else { return nil }
        envelopes = lines[start...].joined(separator: "\n")
        if first.hasPrefix(Self.nameLabel) {
            position = nil
        } else if first.hasPrefix(Self.positionLabel),
            let seconds = Double(first.dropFirst(Self.positionLabel.count)), seconds.isFinite
        {
            position = seconds
        } else {
            return nil
        }
    }

    private static let nameLabel = "name: "
    private static let positionLabel = "SendTime: "
}

/// The current position of a sender that is playing, and the clip that is waiting for a position.
struct OSCTransport: Sendable {
    /// A clip that is waiting for a position, and the locality of the clip.
    private struct Waiting {
        let envelopes: String
        let position: Double
        let locality: String?
    }

    /// The last position that the sender reported, in seconds, and the time of that report on the
    /// receiver's clock; nil if the sender is not playing or has not reported a position.
    private var known: (position: Double, time: Double)?
    private var waiting: Waiting?

    /// Discards the position and the queued clip.
    mutating func reset() { self = OSCTransport() }

    /// Stores the position of the sender at the given time. If the queued clip is due, returns it.
    mutating func move(to position: Double, at time: Double) -> OSCEffect? {
        known = (position, time)
        return due(at: time)
    }

    /// Accepts a clip. If the clip is due, returns it; otherwise, queues it in place of any clip
    /// that is already queued.
    mutating func accept(_ clip: OSCClip, locality: String?, at time: Double) -> OSCEffect? {
        guard let position = clip.position else {
            return OSCEffect(.envelopes(clip.envelopes, delay: 0), locality: locality)
        }
        waiting = Waiting(envelopes: clip.envelopes, position: position, locality: locality)
        return due(at: time)
    }

    /// Removes the queued clip and returns it with its delay from the given time. Returns nil if
    /// the position is unknown, or if the clip is more than ``OSCTiming/leadMax`` ahead.
    private mutating func due(at time: Double) -> OSCEffect? {
        guard let known, let clip = waiting else { return nil }
        let delay = max(0, clip.position - known.position - (time - known.time))
        guard delay <= OSCTiming.leadMax else { return nil }
        waiting = nil
        return OSCEffect(.envelopes(clip.envelopes, delay: delay), locality: clip.locality)
    }
}

// OSCTiming: the time at which the messages of a bundle take effect.

/// The time at which a bundle takes effect, on the clock of the receiver.
public enum OSCTiming: Sendable, Equatable {
    /// Immediately, because the bundle requests this or has no valid time.
    case atOnce
    /// At a time on the receiver's clock, in seconds.
    case at(Double)
    /// Immediately, because the time of the bundle passed the given number of seconds ago.
    case late(Double)
    /// Never, because the time of the bundle is too far ahead: the given number of seconds.
    case tooEarly(Double)

    /// The maximum time by which a bundle may arrive before it takes effect, in seconds.
    public static let leadMax = 10.0

    /// - Parameters:
    ///   - tag: the time of the bundle.
    ///   - now: the current time on the receiver's clock, in seconds.
    ///   - unixTime: the current time in seconds since 1970.
    public init(_ tag: OSCTimeTag, now: Double, unixTime: Double) {
        guard tag != .immediately else {
            self = .atOnce
            return
        }
        let lead = tag.unixTime - unixTime
        if lead > Self.leadMax {
            self = .tooEarly(lead)
        } else {
            self = lead >= 0 ? .at(now + lead) : .late(-lead)
        }
    }
}

extension OSCPacket {
    /// The messages of the packet, each with the time tag of the innermost bundle that contains it.
    public var messages: [(message: OSCMessage, tag: OSCTimeTag)] { messages(tag: .immediately) }

    private func messages(tag: OSCTimeTag) -> [(message: OSCMessage, tag: OSCTimeTag)] {
        switch self {
        case .message(let message): [(message, tag)]
        case .bundle(let tag, let packets): packets.flatMap { $0.messages(tag: tag) }
        }
    }
}

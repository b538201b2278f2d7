// StudioAnnouncement: the announcement that Meta Haptics Studio broadcasts on its network.

import JSONText

/// The datagram that Meta Haptics Studio broadcasts every second.
public struct StudioAnnouncement: Sendable, Equatable {
    /// The UDP port on which announcements are received.
    public static let listeningPort = 9998
    /// The default TCP port of the editor.
    public static let usualPort = 9999

    /// The name of the computer, without control characters.
    public let hostname: String
    /// The TCP port on which the editor listens.
    public let port: Int

    /// The maximum size of an announcement in bytes. Longer datagrams are ignored.
    private static let bytesMax = 1024

    /// Reads a datagram; nil if the datagram is not an announcement.
    public init?(_ datagram: [UInt8]) {
        guard datagram.count <= Self.bytesMax,
            let value = try? JSONReader.read(datagram, mode: .strict).value,
            let hostname = value["hostname"]?.string, let port = value["port"]?.number,
            let port = Int(exactly: port), 1...65_535 ~= port
        else { return nil }
        self.hostname = hostname.asNameOfStranger
        self.port = port
    }
}

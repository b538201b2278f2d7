// OggPages: the pages of an Ogg file. libsndfile reports neither a missing end nor further streams.

/// The sequence of the pages in an Ogg file (RFC 3533, 6). The contents of the pages are not read.
///
/// The bytes may be untrusted.
struct OggPages {
    /// The number of streams that follow one another; 0 if the file is not an Ogg file. Streams whose
    /// first pages are adjacent count as one, because they are played together.
    private(set) var streamCount = 0
    /// True if the last page is the end of a stream.
    private(set) var hasEnd = false
    /// The number of bytes after the last complete page.
    let bytesAfterEnd: Int

    private static let headerLength = 27
    /// The maximum length of a header with the lengths of its segments.
    private static let headerMax = headerLength + 255

    /// Visits the pages of a file, up to the first bytes that are not a complete page.
    init(_ source: ByteSource) {
        var position = 0
        var wasStart = false
        while true {
            let header = source.bytes(from: position, atMost: Self.headerMax)
            guard header.count >= Self.headerLength, header.starts(with: OggComments.magic) else {
                break
            }
            let segmentCount = Int(header[26])
            let segments = header.dropFirst(Self.headerLength).prefix(segmentCount)
            let end = segments.reduce(position + Self.headerLength + segmentCount) { $0 + Int($1) }
            guard segments.count == segmentCount, end <= source.count else { break }
            let isStart = header[5] & 0x02 != 0
            if isStart, !wasStart { streamCount += 1 }
            wasStart = isStart
            hasEnd = header[5] & 0x04 != 0
            position = end
        }
        bytesAfterEnd = source.count - position
    }
}

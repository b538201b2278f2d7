// BusCapture: the levels on the wires of a bus, from a capture that sigrok-cli decodes.

import AcceptanceReports
import BridgeLink
import DRV2605
import Foundation
import HapticPatterns
import ToolSupport

/// The writes of levels that a logic analyzer has recorded.
struct BusCapture {
    /// The writes, in order of time.
    var writes: [CapturedLevel] = []
    /// The duration of the capture, in microseconds.
    private(set) var duration = 0.0

    /// The address of the driver, and the possible addresses of the multiplexer.
    private static let driver = HapticChip.address
    private static let multiplexers: ClosedRange<UInt8> = 0x70...0x77
    /// The register of the level (SLOS854D 8.6.3).
    private static let levelRegister: UInt8 = 0x02
    /// The maximum number of writes of levels. A step of a test has a few thousand such writes.
    private static let writesMax = 100_000

    /// Decodes a file. Throws `ToolError` if the file is not a capture of a bus.
    ///
    /// - Parameters:
    ///   - wires: the channels of the wires; nil to identify the channels by their names.
    ///   - format: the input format for sigrok-cli; nil to let sigrok-cli recognize the format.
    ///   - label: the name to use in messages; nil to use the path.
    init(
        _ path: String, _ wires: Wires? = nil, format: String? = nil, calling label: String? = nil
    ) throws {
        let name = label ?? path
        try Self.checkFile(path, name)
        let format = format ?? (path.lowercased().hasSuffix(".csv") ? Self.csvFormat : nil)
        let input =
            (format.map { ["-I", $0] } ?? [])
            + ["-i", path.hasPrefix("-") ? "./\(path)" : path]
        let about = try LogicAnalyzer.output(of: input + ["--show"], about: name)
        let properties = Properties(about)
        guard !properties.channels.isEmpty else {
            throw ToolError(
                .badData, "\(name): not a capture\(LogicAnalyzer.reason(in: about))",
                advice:
                    "use a sigrok session (.sr), a VCD file, or a CSV file with --capture-format")
        }
        guard let rate = properties.sampleRate else {
            throw ToolError(
                .badData, "\(name): the sample rate is not known",
                advice: "specify it, for example --capture-format csv:samplerate=4000000")
        }
        let chosen = try Self.wires(wires, among: properties.channels, of: name)
        duration = Double(properties.samples) / rate * 1e6
        let annotations = try LogicAnalyzer.output(
            of: input + [
                "-P", "i2c:scl=\(chosen.clock):sda=\(chosen.data)", "-A",
                "i2c=start:repeat-start:stop:nack:address-read:address-write:data-write",
                "--protocol-decoder-samplenum",
            ], about: name)
        var decoder = Decoder(microsecondsPerSample: 1e6 / rate)
        for line in annotations.split(separator: "\n") { decoder.take(line) }
        writes = decoder.writes
        guard decoder.transfers > 0 else {
            throw ToolError(
                .badData,
                "\(name): no transfer to a driver (address 5A) on \(chosen.clock) (SCL) and \(chosen.data) (SDA), "
                    + "\(Self.kilohertz(rate))",
                advice:
                    "swap the wires or choose others: --wires \(chosen.data),\(chosen.clock)"
                    + "; the channels are \(Self.list(properties.channels))",
                "record 4 MHz or more, and connect the ground of the analyzer to that of the board")
        }
        guard writes.count <= Self.writesMax else {
            throw ToolError(
                .badData, "\(name): more than \(Self.writesMax) levels",
                advice: "record a single step of the test")
        }
    }

    /// The default format of files whose names end in .csv: a line for each sample, with the time
    /// of the sample and a column for each wire.
    private static let csvFormat = "csv:column_formats=t,*l"

    private static func checkFile(_ path: String, _ name: String) throws(ToolError) {
        var information = stat()
        guard stat(path, &information) == 0 else {
            throw ToolError(.noInput, "\(name): \(String(cString: strerror(errno)))")
        }
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw ToolError(.noInput, "\(name): not a file", advice: "use a file with a capture")
        }
        guard information.st_size <= LogicAnalyzer.fileSizeMax else {
            throw ToolError(
                .badData, "\(name): larger than \(LogicAnalyzer.fileSizeMax >> 20) MB",
                advice: "record a few seconds at 4 MHz")
        }
    }

    private static func wires(_ wanted: Wires?, among channels: [String], of name: String)
        throws(ToolError) -> Wires
    {
        guard let wires = wanted ?? Wires(among: channels) else {
            throw ToolError(
                .badData, "\(name): none of the channels is named SCL or SDA: \(list(channels))",
                advice: "name the channels of SCL and SDA, for example --wires "
                    + "\(channels.prefix(2).joined(separator: ","))")
        }
        for channel in [wires.clock, wires.data] where !channels.contains(channel) {
            throw ToolError(
                .badData, "\(name): no channel \(channel): the channels are \(list(channels))",
                advice: "name the channels of SCL and SDA with --wires")
        }
        return wires
    }

    private static func list(_ channels: [String]) -> String {
        channels.prefix(16).joined(separator: ", ") + (channels.count > 16 ? ", …" : "")
    }

    private static func kilohertz(_ rate: Double) -> String {
        "at \((rate / 1_000).text(decimals: 0)) kHz"
    }
}

// MARK: The texts of sigrok-cli

extension BusCapture {
    /// The properties of a capture that `sigrok-cli --show` prints.
    struct Properties {
        var sampleRate: Double?
        var samples: Int64 = 0
        var channels: [String] = []

        init(_ text: String) {
            for line in text.split(whereSeparator: \.isNewline) {
                if line.hasPrefix("- "), line.hasSuffix(": logic") {
                    channels.append(
                        LogicAnalyzer.printable(line.dropFirst(2).dropLast(7).prefix(40)))
                } else if let rate = Self.number(line, after: "Samplerate: "), rate > 0 {
                    sampleRate = Double(rate)
                } else if let count = Self.number(line, after: "Logic sample count: ") {
                    samples = count
                }
            }
        }

        private static func number(_ line: Substring, after name: String) -> Int64? {
            line.hasPrefix(name) ? Int64(line.dropFirst(name.count)) : nil
        }
    }

    /// Collects the writes of levels from the annotations of the decoder, such as
    /// "25499-25674 i2c-1: Address write: 5A".
    struct Decoder {
        let microsecondsPerSample: Double
        private(set) var writes: [CapturedLevel] = []
        /// The number of data bytes that were sent to the driver. Addresses without data do not
        /// count, because a board also sends the address of the driver once with swapped wires when
        /// it starts.
        private(set) var transfers = 0
        private var transfer: (time: Double, address: UInt8, bytes: [UInt8])?
        private var channels: UInt8?

        /// The maximum time of a write, in microseconds: one hour. No test takes longer.
        private static let timeMax = 3.6e9

        init(microsecondsPerSample: Double) { self.microsecondsPerSample = microsecondsPerSample }

        mutating func take(_ line: Substring) {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, parts[1].hasPrefix("i2c"),
                let sample = parts[0].split(separator: "-").first.flatMap({ Double($0) })
            else { return }
            let words = parts[2].split(separator: ": ", maxSplits: 1)
            let byte = words.count == 2 ? UInt8(words[1], radix: 16) : nil
            switch (words[0], byte) {
            case ("Start", nil), ("Start repeat", nil), ("Stop", nil): end()
            case ("Address write", let address?), ("Address read", let address?):
                let time = sample * microsecondsPerSample
                guard words[0] == "Address write", time <= Self.timeMax else { return }
                transfer = (time, address, [])
            case ("Data write", let byte?):
                transfers += transfer?.address == BusCapture.driver ? 1 : 0
                transfer?.bytes.append(byte)
            case ("NACK", nil): transfer = nil
            default: break
            }
        }

        private mutating func end() {
            defer { transfer = nil }
            guard let transfer else { return }
            let bytes = transfer.bytes
            if transfer.address == BusCapture.driver, bytes.count == 2,
                bytes[0] == BusCapture.levelRegister
            {
                writes.append(
                    CapturedLevel(time: transfer.time, value: bytes[1], channels: channels))
            } else if BusCapture.multiplexers.contains(transfer.address), bytes.count == 1 {
                channels = bytes[0]
            }
        }
    }
}

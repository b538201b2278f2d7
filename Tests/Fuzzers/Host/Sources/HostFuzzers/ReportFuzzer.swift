// Fuzzes the reports of acceptance tests, which may come from untrusted sources. The tool must
// print only visible text of limited length from a report, and each error must have a message and
// advice.

import AcceptanceReports

/// Fuzzes a report. If the first byte is 0, the other bytes are the frames of two steps, because
/// few inputs have valid frames by chance.
@_cdecl("fuzz_host_report")
public func fuzzReport(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(bytes, count)
    let text = input.bytes.first == 0 ? Array(report(&input).utf8) : input.bytes
    do throws(AcceptanceReportError) {
        let report = try AcceptanceReport(json: text)
        let lines = report.lines
        for line in lines { promiseVisible(line) }
        promise(
            lines.reduce(0) { $0 + $1.utf8.count } <= 1_000 + 20 * text.count,
            "the page is too long")
        try replay(report)
    } catch {
        explain(error)
    }
    return 0
}

/// Compares each step with itself, and with every other step.
private func replay(_ report: AcceptanceReport) throws(AcceptanceReportError) {
    var recordings: [FrameRecording] = []
    for step in report.steps { recordings.append(try FrameRecording(step)) }
    for recording in recordings {
        promise(recording.difference(to: recording.answers) == nil, "equal answers differ")
        for other in recordings {
            guard let difference = recording.difference(to: other.answers) else { continue }
            promiseVisible("\(difference)")
            promise("\(difference)".utf8.count < 1_000, "a difference is too long")
        }
    }
}

private func explain(_ error: AcceptanceReportError) {
    promise(!error.message.isEmpty && !error.advice.isEmpty, "an error has no message or no advice")
    promiseVisible(error.message)
    promiseVisible(error.advice)
    promise(error.message.utf8.count < 2_000, "an error is too long")
}

/// Checks that text contains no line breaks, no invisible characters, and no characters that
/// control a terminal.
private func promiseVisible(_ text: String) {
    let isVisible = text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
    promise(isVisible, "\(text.debugDescription) contains a control character")
}

// MARK: Frames

/// Returns a report whose frames are read from the input. Each frame consists of a time, then a
/// byte that contains the step, the direction and the length, then the type, the sequence byte and
/// the payload.
private func report(_ input: inout Input) -> String {
    var frames = [[#""0 > 010001010000000100000000""#], [#""0 > 010001010000000200000000""#]]
    var time = 0
    _ = input.byte()
    while !input.isEmpty {
        time += Int(input.byte()) * 100
        let what = input.byte()
        let bytes = [input.byte(), input.byte()] + input.take(Int(what & 63))
        let digits = bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        frames[Int(what >> 7)].append(#""\#(time) \#(what & 64 == 0 ? "<" : ">") \#(digits)""#)
    }
    let steps = zip(["drive", "events"], frames).map { step, frames in
        #"{"step":"\#(step)","seconds":1,"checks":[],"frames":[\#(frames.joined(separator: ","))]}"#
    }
    return #"{"schema":"bridge.accept/1","program":"1.0","board":{"kind":2,"name":"Uno","#
        + #""firmware":"1.0","chips":[7],"configurations":[""]},"steps":["#
        + steps.joined(separator: ",") + "]}"
}

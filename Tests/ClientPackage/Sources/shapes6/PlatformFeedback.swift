// The feedback of a drawing app on three platforms: trackpad, watch and stylus. The app does not
// use an engine directly.

import HapticBridge
import PlatformFeedback

private final class Canvas {
    private let performer: any NSHapticFeedbackPerformer

    init(performer: any NSHapticFeedbackPerformer = NSHapticFeedbackManager.defaultPerformer) {
        self.performer = performer
    }

    func drag(toGuide isAtGuide: Bool) {
        guard isAtGuide else { return }
        performer.perform(.alignment, performanceTime: .drawCompleted)
    }

    func press(_ pattern: NSHapticFeedbackManager.FeedbackPattern) {
        NSHapticFeedbackManager.defaultPerformer.perform(pattern, performanceTime: .now)
    }
}

/// A feedback performer for tests, as programmers write it for AppKit.
private final class CountingPerformer: NSObject, NSHapticFeedbackPerformer {
    private(set) var times: [NSHapticFeedbackManager.PerformanceTime] = []

    func perform(
        _ pattern: NSHapticFeedbackManager.FeedbackPattern,
        performanceTime: NSHapticFeedbackManager.PerformanceTime
    ) {
        times.append(performanceTime)
    }
}

@MainActor func platformFeedback() {
    let counter = CountingPerformer()
    Canvas(performer: counter).drag(toGuide: true)
    print(counter.times.map(\.rawValue))

    let pencil = UICanvasFeedbackGenerator()
    let generators: [UIFeedbackGenerator] = [pencil]
    for generator in generators { generator.prepare() }
    rest(0.5)
    let canvas = Canvas()
    canvas.drag(toGuide: true)
    rest(0.3)
    canvas.press(.levelChange)
    rest(0.3)
    pencil.alignmentOccurred(at: CGPoint(x: 1, y: 2))
    rest(0.3)
    pencil.pathCompleted(at: .zero)
    rest(0.3)
    WKInterfaceDevice.current().play(.start)
    rest(0.3)
    WKInterfaceDevice.current().play(WKHapticType.click)
    rest(0.3)
}

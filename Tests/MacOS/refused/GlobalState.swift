// is not concurrency-safe
var counter = 0

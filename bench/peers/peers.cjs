// peers.cjs - npm's bloom-filters and DuckDB at the questions of bench/peers/run: distinct REGISTERS FILE, top FILE
// FIELD N, members RATE KEYS STRANGERS, counts EPSILON DELTA STREAM TRUTH, sql THREADS QUERY; versions. members and
// counts print what members.c and counts.c print. NODE_PATH says where the packages are.
'use strict'
const fs = require('fs')
const readline = require('readline')

const lines = path => fs.readFileSync(path, 'latin1').split('\n').slice(0, -1)

function eachLine(path, use, done) {
  readline.createInterface({ input: fs.createReadStream(path) }).on('line', use).on('close', done)
}

// Nanoseconds of the processor for each of n calls.
function timed(n, work) {
  const start = process.cpuUsage()
  work()
  const used = process.cpuUsage(start)
  return (1000 * (used.user + used.system)) / n
}

function distinct(registers, path) {
  const { HyperLogLog } = require('bloom-filters')
  const sketch = new HyperLogLog(Number(registers))
  eachLine(path, line => sketch.update(line), () => console.log(Math.round(sketch.count())))
}

function top(path, field, n) {
  const { TopK } = require('bloom-filters')
  const sketch = new TopK(Number(n), 0.001, 0.01)
  eachLine(path, line => sketch.add(line.split(' ', field)[field - 1]), () => {
    for (const row of sketch.values()) console.log(`${row.frequency}\t${row.value}`)
  })
}

function members(rate, keysPath, strangersPath) {
  const { BloomFilter } = require('bloom-filters')
  const keys = lines(keysPath), strangers = lines(strangersPath)
  let filter, falseYes = 0
  const insert = timed(keys.length, () => {
    filter = BloomFilter.create(keys.length, Number(rate))
    for (const key of keys) filter.add(key)
  })
  const ask = timed(strangers.length, () => {
    for (const key of strangers) falseYes += filter.has(key)
  })
  const falseNo = keys.reduce((sum, key) => sum + !filter.has(key), 0)
  console.log([insert.toFixed(2), ask.toFixed(2), falseYes, falseNo, Math.ceil(filter.size / 8)].join('\t'))
}

function counts(epsilon, delta, streamPath, truthPath) {
  const { CountMinSketch } = require('bloom-filters')
  const stream = lines(streamPath)
  const truth = lines(truthPath).map(line => [Number(line.split(' ', 1)[0]), line.slice(line.indexOf(' ') + 1)])
  let sketch, answer
  const add = timed(stream.length, () => {
    sketch = CountMinSketch.create(Number(epsilon), Number(delta))
    for (const key of stream) sketch.update(key)
  })
  const ask = timed(truth.length, () => (answer = truth.map(([, key]) => sketch.count(key))))
  const off = answer.map((a, i) => a - truth[i][0])
  const light = off.filter((_, i) => truth[i][0] <= 10)
  const mean = light.reduce((a, b) => a + b, 0) / Math.max(1, light.length)
  const above = off.filter(o => o > epsilon * stream.length).length
  const under = off.filter(o => o < 0).length
  const bytes = sketch.columns * sketch.rows * 8 // arrays of JavaScript's numbers
  console.log([add.toFixed(2), ask.toFixed(2), mean.toFixed(3), above, under, truth.length, bytes].join('\t'))
}

// A file as a table: of lines, and of an access log.
const tables = `
  create macro lines(file) as table select * from read_csv(file, header = false, auto_detect = false, delim = '\t',
    quote = '', escape = '', columns = {'line': 'varchar'});
  create macro requests(file) as table select * from read_csv(file, header = false, auto_detect = false, delim = ' ',
    quote = '"', escape = '\\', columns = {'ip': 'varchar', 'ident': 'varchar', 'user': 'varchar', 'time': 'varchar',
    'zone': 'varchar', 'request': 'varchar', 'status': 'varchar', 'bytes': 'varchar', 'referer': 'varchar',
    'agent': 'varchar'})`

async function sql(threads, query) {
  const { DuckDBInstance } = require('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', { threads })
  const connection = await instance.connect()
  await connection.run(tables)
  const result = await connection.runAndReadAll(query)
  for (const row of result.getRows()) console.log(row.join('\t'))
}

function versions() {
  const version = name => JSON.parse(fs.readFileSync(`${process.env.NODE_PATH}/${name}/package.json`)).version
  require('bloom-filters')
  require('@duckdb/node-api')
  console.log(`npm bloom-filters ${version('bloom-filters')}, npm @duckdb/node-api ${version('@duckdb/node-api')}`)
}

const [verb, ...rest] = process.argv.slice(2)
Promise.resolve({ distinct, top, members, counts, sql, versions }[verb](...rest)).catch(error => {
  console.error(error)
  process.exit(1)
})

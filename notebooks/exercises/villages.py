"""Names of towns and villages of England, and of quarters of its cities, without those of two words.

Written down for this course, from memory: names of places are plain facts, and belong to nobody.
"""

TEXT = """
abbotsbury abingdon accrington ackworth acton adlington alcester aldeburgh alderley aldgate aldwych alfreton alfriston
almondsbury alnwick alresford alston althorp alton altrincham amble ambleside amersham amesbury ampleforth ampthill
andover appleby appleton apsley ardley arley arundel ashby ashcombe ashdon ashford ashington ashley ashton aspatria
astbury astley aston audley austwick avonmouth axbridge aylesbury aylesford aylsham babbacombe bagthorpe bakewell
baldock balham bamburgh banbury banstead barham barnby barnet barnsley barrow barrowby barton barwick basildon
batcombe bath batley beaminster beaulieu bebington beckenham bedale bedford bedlington beeston bellingham belper
bentham bentley berkeley berkhamsted berwick beverley bexley bibury bicester bickford bideford billericay binchester
bingley birmingham bispham blakeney blandford blofield bloomsbury bloxham blunsdon blyth bodmin bognor bolsover bolton
bookham boothby bordon borwick boscombe bosham boston bosworth bourne bournemouth bovington brackley bradfield
bradford braintree bramley brampton branscombe bratoft brentford brentwood bridgnorth bridgwater bridlington bridport
brierley brigg brighton brixton broadway bromley bromyard broseley broughton brumby bruton buckingham bude bunbury
burcombe bures burford burnham burnley burnsall burton burwell bury bushey butterwick butterworth buxton byford
cadbury cadeby caistor calne calverley camberley camborne cambridge camelford candlesby cannock canterbury cardington
carlisle carlton castleford castleton catford cavendish caversham caythorpe charlton chatsworth chatteris cheadle
cheddar chelmsford cheltenham chesham chester chichester chippenham chislehurst chiswick chorley chorlton cirencester
clapham clare cleethorpes clevedon cley clifton clitheroe clowne clun cobham cockermouth coggeshall colchester colne
compton congleton coniston cookham corbridge corby corfe corsham cottenham cottingham cowley cramlington cranbrook
cranfield craster crawley crediton crewe crofton cromer crompton crosby croydon cuckfield cudworth culford dalby
dalton danby darlington dartford dartmouth daventry deal dedham dent denton deptford derby dereham devizes dewsbury
didcot didsbury digby dilworth diss ditchling doddington doncaster donington dorchester dorking dover downham downton
drayton driffield droitwich dronfield dudley duffield dulwich dunmow dunster dunwich durham dursley duxford easby
easington easingwold eaton ebchester ecclesfield eccleshall eccleston edale edington edmonton egham ellesmere elstead
elswick eltham elton ely embleton emsworth enfield epping epsom erdington eversley everton evesham exmouth eyam eye
eynsford fairfield fairford fakenham falmouth fareham faringdon farncombe farnham farnworth faversham felixstowe
felton fenton fenwick ferriby filey finchley finham finsbury fladbury fordham formby fowey foxton framlingham frampton
freckleton frimley frinton frisby frodsham fulbourn gaddesby garstang gatwick giggleswick gillingham girton
glastonbury glossop gloucester godalming goring gosford gosport goudhurst grafton grantham grasmere grassington
graveney greenwich greetham grimethorpe grimsby grinstead guildford guiseley gunby gunthorpe hadfield hadleigh hadley
hailsham halesworth halford halstead hampstead hampton hanbury hanley harcombe hardwick harlow harmby harpenden
harrogate harrowby hartley harwich haslemere hatfield hathersage hatton havant hawes hawkhurst hawkshead haworth haxby
hayfield hayle heacham headcorn headingley heanor heathfield heaton hebden hedon helmsley helston hemsby hemsworth
hendon henley hepworth hereford hertford hessle hexham heyford heytesbury highbury highgate hillingdon hilton hinckley
hinton histon hitchin holbeach holcombe holmgate holsworthy holt honiton honley hope hopton horbury horley hornby
horncastle hornsea horsham horstead horton houghton hovingham howden huby hungerford hunmanby hunstanton huntingdon
hutton hykeham hythe ilchester ilford ilfracombe ilkeston illingworth ingleby ingleton ipswich irby ironbridge
isleworth islington ivinghoe ivybridge kearby keelby kegworth keighley kempsford kempston kemsley kendal kenilworth
kennington kensington keswick kettering kettlewell kibworth kidlington kilmington kingston kington kinsley kirkby
kirkham knighton knostrop knowsley knutsford lamberhurst lancaster lanchester langham langley langton laughton
lavenham lavington lazenby lechlade ledbury leek leicester leominster letchworth lewes lewisham leyburn leyland
lichfield lincoln lindley lingfield linthorpe linton liss littleton longford longtown looe loughton louth lowick
loxley luccombe ludlow luton lutterworth lydd lydford lymington lyndhurst lytham mablethorpe madley maesbury maidstone
maldon malham malmesbury malpas maltby malton malvern manchester mansfield maplestead mapperley march maresfield
margate markham marlborough marley marlow marsden marton maryport masham matlock maunby melbourn melford melksham
melton meopham mere merton middleton middlewich midhurst milford milnthorpe milton minehead mirfield mitcham mobberley
moorby moreton morley morpeth mossley mottingley moulton nailsworth nantwich naseby naunton nayland needham nelson
neston newbury newby newnham newquay newton northampton northleach northorpe northwich norton norwich nottingham
nunnington nutfield oakham oakley okehampton oldbury oldham ollerton olney ongar orford ormesby ormskirk orton
osbournby oswestry otford otley oundle overton ovingham owthorpe oxcombe oxford padbury paddington padiham padstow
paignton painswick pangbourne papworth parham partington pelham pemberton penkridge penrith penshurst penzance
pershore petersfield petworth pewsey pickering plumpton plumstead plymouth plympton pocklington polperro porlock
portsmouth poulton prestbury preston prestwick pudsley pulborough pulford queensbury quenby radford radley rainham
rainton raithby ramsbury ramsey ramsgate redfield redruth reeth reigate renwick retford ribchester richmond ringstead
ringwood ripley ripon risley rochester rochford rockingham rodley rollesby romanby romford romsey romsley rothbury
rotherby rotherham royston rufford rugby rugeley rushden rushton rushworth rye saddleworth saham salcombe salford
salisbury salthouse sandbach sandford sandhurst sandringham sandwich sapley sawston saxby saxmundham scalby scawby
sculthorpe scunthorpe seaford seahouses seaton sedbergh sedgefield selaby selborne selby selsey settle sevenoaks
shaftesbury shap sheffield shefford shelford shelley shepperton sherborne sheringham sherington shevington shilton
shipley shipton shirley shopwyke shrewsbury sibsey sidmouth silchester silloth skeeby skegness skipton skirbeck
sleaford smethwick soham somerby sotby southampton southgate southport southwick southwold southworth spalding spilsby
stafford stalbridge stalybridge stamford stanley stansfield stanstead stanton staplehurst stapleton staunton stevenage
steyning stockbridge stockton stone stoneham storrington stortford stourbridge stow streatham streatley street
stretford stretton stroud sturminster sudbury sulby sunbury sutton swaffham swanage swanley swinderby swindon swinford
swinton tadcaster tamworth tansley tarleton tarporley tatham taunton tealby tebay teddington teignmouth telford
tenterden tetbury tetford tewkesbury thame thaxted thetford thirkleby thirsk thoresby thornaby thornbury thornton
thorpe thrapston tickenham tiddington tideswell tilbury tinsley tisbury titchfield titley tiverton todmorden tonbridge
tottenham towcester trafford trowbridge truro tumby tutbury twickenham twyford tynemouth uckfield ulceby uley
ulverston unsworth upham uppermill uppingham upton utterby uttoxeter uxbridge wadebridge wadhurst wadsworth wakefield
wallingford wallington walsingham waltham walton wandsworth wanstead wantage warburton wardleworth ware wareham
warkworth warmington warminster warrington warwick washington watchet watford watton wednesbury welby wellington wells
wem wembley wendover wenlock wentworth weobley westbury westerby weston wetherby weybridge weymouth whalley wheatley
whickham whitby whitchurch whitefield whitehaven whitley whitton whitworth wibsey wickham widecombe wigton willesden
wilsford wilton wimbledon wimborne winchcombe winchester windermere wingfield winscombe winsley winslow winterton
winwick wirksworth wisbech witham withernsea witley witney woburn wokingham wolverton womersley woodbridge woodstock
woodthorpe wooler woolwich wootton worcester workington worthington wortley wotton wragby wroughton wycombe wymondham
yardley yarmouth yarnton yately youlgreave yoxford
"""
NAMES = TEXT.split()
